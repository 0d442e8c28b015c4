"""The programs of a system that call the heartbeat: cron, systemd and launchd."""
