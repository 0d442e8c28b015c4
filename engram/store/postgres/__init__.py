"""The journal of many hosts, in PostgreSQL. Nothing here is imported unless the settings name a server."""
