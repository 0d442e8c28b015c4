"""What is decided when a person settles what waited for review, or opens it again."""
