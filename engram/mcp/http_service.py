"""The MCP server on a port of loopback. Needs the package `mcp`, an extra."""

import sys
from pathlib import Path

from engram.loopback.port import HOST
from engram.loopback.port import taken_port
from engram.loopback.token import read_token
from engram.mcp.answers import Caller
from engram.mcp.http import PATH
from engram.mcp.http import http_server
from engram.mcp.server import build_server
from engram.warm.process import serving_warm


def serve_http(root: Path, who: Caller, port: int) -> None:
    """Serve clients that show the token on a loopback port, until a signal ends it; 0 takes one that is free.

    The address is said on standard error as soon as clients can connect.

    Raises RefusedError when the port is taken or the token's file can be read by others.
    """
    with taken_port(port) as taken, serving_warm(root) as store:
        token = read_token(store.paths.mcp_token)
        taken.listen()  # who connects from now on is answered once the server runs
        own_port = taken.getsockname()[1]
        print(f"serving on http://{HOST}:{own_port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201 - stdout is free
        http_server(build_server(store, who), own_port, token).run(sockets=[taken])
