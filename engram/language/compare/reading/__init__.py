"""What a statement is read with: the words of all languages, tokens, and dates in one form."""
