"""How hits are shown: without repeats, with the lines around them, and as text."""
