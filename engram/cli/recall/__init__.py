"""The commands that answer a question or load the context of a session."""
