"""A fleet: the workspaces of many users over one PostgreSQL, who is in it, and moving them between hosts."""
