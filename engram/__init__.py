"""Engram: a knowledge-graph fact store with a heartbeat, for AI agents."""

__version__ = "0.4.0"
