"""How statements stand to each other."""
