"""Typed relations between entities, as facts state them by their attributes."""
