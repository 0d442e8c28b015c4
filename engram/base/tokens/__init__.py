"""How many tokens a text has: counted with a vocabulary, or near enough without one."""
