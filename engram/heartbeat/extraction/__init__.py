"""What the heartbeat takes from notes and turns."""
