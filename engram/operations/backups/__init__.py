"""Copies of a workspace: made, checked and brought back."""
