"""What is searched: which documents there are, and how the index catches up with them."""
