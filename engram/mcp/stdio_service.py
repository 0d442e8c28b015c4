"""The MCP server on standard input and output. Needs the package `mcp`, an extra."""

from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from engram.mcp.answers import Caller
from engram.mcp.server import build_server
from engram.warm.process import serving_warm


def serve_stdio(root: Path, who: Caller) -> None:
    """Serve one client on standard input and output until it closes them. Nothing else is written there."""
    with serving_warm(root) as store:
        server = build_server(store, who)

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        anyio.run(serve)
