"""Whom a memory believes how far, and who may therefore take the place of whose words."""
