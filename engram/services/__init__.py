"""Use cases: what the doors call."""
