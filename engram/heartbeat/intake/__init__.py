"""What is read, and what was noticed in it."""
