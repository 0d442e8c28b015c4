"""The tables: of what they are made, and their rows as model values and back."""
