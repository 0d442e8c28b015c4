"""Frozen values that every floor above speaks in."""
