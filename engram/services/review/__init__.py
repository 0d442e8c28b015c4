"""What waits for a person, and how much of it one day may ask of her."""
