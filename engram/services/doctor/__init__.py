"""Doctor: what may be wrong with a workspace, one module a matter."""
