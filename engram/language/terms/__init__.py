"""Texts as the terms that the index searches by."""
