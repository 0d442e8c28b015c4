"""What an answer may show, and in which order."""
