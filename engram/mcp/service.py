"""A process that serves: the MCP server on standard input and output or on loopback, and the warm door beside it."""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from engram.base.install_hints import install_command
from engram.errors import RefusedError
from engram.errors import UsageError
from engram.mcp.answers import Caller
from engram.mcp.token import read_token
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore


def serve_stdio(root: Path, who: Caller) -> None:
    """Serve one client on standard input and output until it closes them. Nothing else is written there."""
    _require_sdk()
    import anyio  # noqa: PLC0415 - see `_require_sdk`
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - as above

    from engram.mcp.server import build_server  # noqa: PLC0415 - as above

    with _warm(root) as store:
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
    from engram.mcp.http import HOST  # noqa: PLC0415 - see `_require_sdk`
    from engram.mcp.http import PATH  # noqa: PLC0415 - as above
    from engram.mcp.http import http_server  # noqa: PLC0415 - as above
    from engram.mcp.server import build_server  # noqa: PLC0415 - as above

    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as taken, _warm(root) as store:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((HOST, port))
        except OSError as problem:
            raise RefusedError(
                f"port {port} cannot be used: {problem.strerror}", hint="choose another port"
            ) from problem
        token = read_token(store.paths.mcp_token)
        taken.listen()  # who connects from now on is answered once the server runs
        own_port = taken.getsockname()[1]
        print(f"serving on http://{HOST}:{own_port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201 - stdout is free
        http_server(build_server(store, who), own_port, token).run(sockets=[taken])


def serve_warm(root: Path) -> None:
    """Serve at the warm door alone, until a signal ends it."""
    with _warm(root):
        threading.Event().wait()


@contextlib.contextmanager
def _warm(root: Path) -> Iterator[WarmStore]:
    """Open the store for calls, and its warm door; a signal to end closes the door first."""
    store = WarmStore(root)
    door = WarmServer(store)

    def leave(_number: int, _frame: FrameType | None) -> None:
        door.close()
        os._exit(0)  # a thread that reads standard input cannot be told to end

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    door.start()
    try:
        yield store
    finally:
        door.close()
        store.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def _require_sdk() -> None:
    """Raise UsageError when the package `mcp` is not installed; it is imported by those who serve alone."""
    if find_spec("mcp") is None:
        raise UsageError("the package mcp is not installed", hint=install_command("mcp"))
