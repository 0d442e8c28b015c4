"""Settings and paths of a workspace."""
