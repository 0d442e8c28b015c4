"""The review phase."""
