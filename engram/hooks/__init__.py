"""The door for agent hooks: fast, silent, always exit 0."""
