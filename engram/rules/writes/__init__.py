"""What a statement does to what is known: confirm it, create it, supersede it, open a tension; and taking that back."""
