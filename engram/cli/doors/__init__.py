"""The commands that open other doors: hooks, MCP, the page, imports and exports."""
