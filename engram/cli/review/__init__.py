"""The commands that settle what waits for a person."""
