"""What stands in a text: its pieces, lines and statements."""
