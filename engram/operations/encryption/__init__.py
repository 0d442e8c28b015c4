"""Encryption at rest: turned on, turned off, given another key, and told about."""
