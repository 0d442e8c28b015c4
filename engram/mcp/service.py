"""A process that serves: the MCP server on standard input and output or on loopback, and the warm door beside it."""

import threading
from importlib.util import find_spec
from pathlib import Path

from engram.base.machine.install_hints import install_command
from engram.errors import UsageError
from engram.mcp.answers import Caller
from engram.warm.process import serving_warm


def serve_stdio(root: Path, who: Caller) -> None:
    """Serve one client on standard input and output until it closes them. Nothing else is written there."""
    _require_sdk()
    from engram.mcp import stdio_service  # noqa: PLC0415 - see `_require_sdk`

    stdio_service.serve_stdio(root, who)


def serve_http(root: Path, who: Caller, port: int) -> None:
    """Serve clients that show the token on a loopback port, until a signal ends it; 0 takes one that is free.

    The address is said on standard error as soon as clients can connect.

    Raises RefusedError when the port is taken or the token's file can be read by others.
    """
    _require_sdk()
    from engram.mcp import http_service  # noqa: PLC0415 - see `_require_sdk`

    http_service.serve_http(root, who, port)


def serve_warm(root: Path) -> None:
    """Serve at the warm door alone, until a signal ends it."""
    with serving_warm(root):
        threading.Event().wait()


def _require_sdk() -> None:
    """Raise UsageError when the package `mcp` is not installed: it is an extra, and takes half a second to import."""
    if find_spec("mcp") is None:
        raise UsageError("the package mcp is not installed", hint=install_command("mcp"))
