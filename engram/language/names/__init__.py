"""Names of people, projects and things: how they are written, and when two of them are one."""
