"""The vector index: its engines, what all of them do alike, and where it lies."""
