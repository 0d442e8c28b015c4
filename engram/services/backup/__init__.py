"""Backups: what of a workspace belongs into one, how it is read while others write, and how it is laid out again."""
