"""The commands that keep a workspace sound: heartbeat, decay, domains, doctor, backups and rebuilding."""
