"""What a person said that changes a known fact though no fact was made of it: corrections, changes, kept promises."""
