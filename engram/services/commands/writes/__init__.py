"""What is decided when a statement is written or corrected."""
