"""Encryption at rest: where the key comes from, what is encrypted with it, and how it is opened again."""
