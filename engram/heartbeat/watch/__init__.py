"""The heartbeat of hosts without cron: one process that looks at files and runs it when something has changed."""
