"""What another core does while the runner records a long past: roll-ups are drafted, the index takes words in."""
