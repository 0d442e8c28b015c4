"""The synthesis phase: roll-ups of weeks and months, and patterns."""
