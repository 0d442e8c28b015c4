"""What is remembered of imports: which there were, what each wrote, and whose it was."""
