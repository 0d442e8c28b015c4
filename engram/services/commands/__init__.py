"""The write path: one module a group of commands."""
