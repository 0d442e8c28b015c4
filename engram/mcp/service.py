"""A process that serves: the MCP server on standard input and output or on loopback, and the warm door beside it."""

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

from engram.base.machine.install_hints import install_command
from engram.errors import UsageError
from engram.loopback.port import HOST
from engram.loopback.port import taken_port
from engram.loopback.token import read_token
from engram.mcp.answers import Caller
from engram.warm.process import serving_warm


def serve_stdio(root: Path, who: Caller) -> None:
    """Serve one client on standard input and output until it closes them. Nothing else is written there."""
    _require_sdk()
    import anyio  # noqa: PLC0415 - see `_require_sdk`
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - as above

    from engram.mcp.server import build_server  # noqa: PLC0415 - as above

    with serving_warm(root) as store:
        server = build_server(store, who)

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        anyio.run(serve)


def serve_http(root: Path, who: Caller, port: int) -> None:
    """Serve clients that show the token on a loopback port, until a signal ends it; 0 takes one that is free.

    The address is said on standard error as soon as clients can connect.

    Raises RefusedError when the port is taken or the token's file can be read by others.
    """
    _require_sdk()
    from engram.mcp.http import PATH  # noqa: PLC0415 - see `_require_sdk`
    from engram.mcp.http import http_server  # noqa: PLC0415 - as above
    from engram.mcp.server import build_server  # noqa: PLC0415 - as above

    with taken_port(port) as taken, serving_warm(root) as store:
        token = read_token(store.paths.mcp_token)
        taken.listen()  # who connects from now on is answered once the server runs
        own_port = taken.getsockname()[1]
        print(f"serving on http://{HOST}:{own_port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201 - stdout is free
        http_server(build_server(store, who), own_port, token).run(sockets=[taken])


def serve_warm(root: Path) -> None:
    """Serve at the warm door alone, until a signal ends it."""
    with serving_warm(root):
        threading.Event().wait()


def _require_sdk() -> None:
    """Raise UsageError when the package `mcp` is not installed; it is imported by those who serve alone."""
    if find_spec("mcp") is None:
        raise UsageError("the package mcp is not installed", hint=install_command("mcp"))
