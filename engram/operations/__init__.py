"""What is done with a workspace, one module a verb: each takes a workspace and returns a value. Doors only render."""
