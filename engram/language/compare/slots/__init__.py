"""What a statement gives an attribute: the attribute, the value, and what a question asks for."""
