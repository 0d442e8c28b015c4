"""What calls the heartbeat: cron, systemd and launchd."""
