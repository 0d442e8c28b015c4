"""The server's process: a port, the token of the workspace, and the operations until a signal ends it."""

import secrets
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from engram.loopback.bounded_http import MOST_HEAD_BYTES
from engram.loopback.bounded_http import BoundedHttp
from engram.loopback.port import HOST
from engram.loopback.port import hosts
from engram.loopback.port import taken_port
from engram.loopback.token import read_token
from engram.rest.app import DESCRIPTION
from engram.rest.app import RestApp
from engram.rest.door import Door
from engram.warm.process import serving_warm
from engram.web.app import make_app
from engram.web.guard import Guard
from engram.web.reader import Reader

_GRACE_S: Final = 3  # that requests may take when the server ends
_OPERATIONS: Final = "/v1"
_LINK_BYTES: Final = 32


class Place(NamedTuple):
    """Where a server listens, and how it is called."""

    port: int = 0  # 0: one that is free
    address: str = HOST
    names: Sequence[str] = ()  # by which clients may call it besides loopback's, without a port
    page: bool = False  # whether it also serves the page


class Served(NamedTuple):
    """Where clients find a server that listens."""

    url: str
    description: str
    token_file: str
    page: str | None  # link that opens the page, with a key for this run


class Mounted:
    """Operations at /v1, and the page, if there is one, at every other path (ASGI)."""

    def __init__(self, operations: ASGIApp, page: ASGIApp | None) -> None:
        """Take both; each has its own guard."""
        self._operations = operations
        self._page = page or operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        path = scope.get("path", "")
        is_operation = path in {_OPERATIONS, DESCRIPTION} or path.startswith(f"{_OPERATIONS}/")
        await (self._operations if is_operation else self._page)(scope, receive, send)


def serve_rest(root: Path, door: Door, place: Place, tell: Callable[[Served], None]) -> None:
    """Serve the operations to who shows the token, until a signal ends it.

    Args:
        root: of the workspace.
        door: as whom requests are answered.
        place: where it listens.
        tell: is told where clients find it, as soon as they can connect.

    Raises:
        RefusedError: when the port is taken, or the token's file can be read by others.
        UnknownSessionError: when there is no such session as the door's.
    """
    reader = Reader(door.session, door.agent)
    with taken_port(place.port, place.address) as taken, serving_warm(root) as store:
        reader.require_known(store)
        token_file = store.paths.mcp_token
        token = read_token(token_file)
        taken.listen()  # who connects from now on is answered once the server runs
        port, link = taken.getsockname()[1], secrets.token_urlsafe(_LINK_BYTES)
        known = [*hosts(port), *(f"{name}:{port}" for name in place.names), *place.names]
        page = Guard(make_app(store, reader, lambda: server.should_exit), port, link) if place.page else None
        app = Mounted(RestApp(store, door, token=token, hosts=known), page)
        server = _server(app, port)
        url = f"http://{HOST if place.address == '0.0.0.0' else place.address}:{port}"  # noqa: S104 - named, not bound
        tell(Served(url, url + DESCRIPTION, str(token_file), f"{url}/?token={link}" if page else None))
        server.run(sockets=[taken])


def _server(app: ASGIApp, port: int) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        host=HOST,
        port=port,
        log_config=None,
        access_log=False,
        http=BoundedHttp,
        ws="none",
        lifespan="off",
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)
