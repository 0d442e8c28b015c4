"""The HTTP door: streamable HTTP on loopback only, for clients that show the token.

How much a client may send, and how slowly, is bounded before the token is looked at: see `loopback.bounded_http`.

A page in a browser can make requests to loopback under a name of its own (DNS rebinding), so Host and Origin have to be
loopback's, and without the token nothing is told at all (specification of the transport, "Security Warning").
"""

from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from engram.loopback.bearer import shows_token
from engram.loopback.bounded_http import MOST_HEAD_BYTES
from engram.loopback.bounded_http import BoundedHttp
from engram.loopback.port import HOST
from engram.loopback.port import hosts

PATH = "/mcp"
_GRACE_S = 3  # that requests may take when the server ends


class TokenRequired:
    """Passes on what shows the token; anything else is told nothing."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        """Take what is behind the door, and the token."""
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http" or shows_token(scope["headers"], self._token):
            await self._app(scope, receive, send)
            return
        said = {"error": "Unauthorized", "hint": "Authorization: Bearer TOKEN; engram mcp --show-token prints it"}
        refusal = JSONResponse(said, status_code=401, headers={"WWW-Authenticate": "Bearer", "Connection": "close"})
        await refusal(scope, receive, send)


def http_server(server: Server[Any], port: int, token: str) -> uvicorn.Server:
    """Return what serves the MCP server on a loopback port."""
    named = hosts(port)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # nothing is kept of a client between two requests
        transport_security=TransportSecuritySettings(
            allowed_hosts=named, allowed_origins=[f"http://{host}" for host in named]
        ),
    )
    config = uvicorn.Config(
        TokenRequired(app, token),
        host=HOST,
        port=port,
        log_config=None,
        access_log=False,
        http=BoundedHttp,
        ws="none",
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)
