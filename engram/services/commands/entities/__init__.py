"""What is decided on entities: made, renamed, merged, split, and whose the workspace is."""
