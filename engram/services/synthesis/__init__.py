"""What comes of many facts and notes: patterns, principles, and the lines of roll-ups."""
