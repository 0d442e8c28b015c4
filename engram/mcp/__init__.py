"""The MCP server: what hosts that speak the Model Context Protocol see of a memory."""
