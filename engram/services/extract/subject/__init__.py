"""Whom a statement is about: features of each candidate, and learned weights."""
