"""What a person meant by editing a file in life/."""
