"""The Python door: the verbs of the command line as methods of `engram.Memory`; docs/PYTHON.md shows them at work."""
