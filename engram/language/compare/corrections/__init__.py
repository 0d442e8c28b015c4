"""What a statement takes back, and the values and names that a correction may change."""
