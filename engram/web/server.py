"""The page's process: a port of loopback, a token for this run alone, and the server until a signal ends it."""

import gc
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from engram.loopback.bounded_http import MOST_HEAD_BYTES
from engram.loopback.bounded_http import BoundedHttp
from engram.loopback.port import HOST
from engram.loopback.port import taken_port
from engram.warm.process import serving_warm
from engram.web.app import make_app
from engram.web.guard import Guard
from engram.web.reader import Reader

_TOKEN_BYTES = 32
_COLLECTS_AFTER = 50_000  # new objects: a view of a large store makes rows by the hundred thousand, and hardly a cycle
_GRACE_S = 2  # that requests may take when the server ends


def serve_page(root: Path, reader: Reader, port: int, tell: Callable[[str, str], None], view: str = "") -> None:
    """Serve the page to who has the link, until a signal ends it.

    Args:
        root: of the workspace.
        reader: who looks at it.
        port: of loopback; 0 takes one that is free.
        tell: is told the link as soon as a browser can open it, and another that opens it once, for a command line.
        view: that the link opens, such as `today`; "": the first one.

    Raises:
        RefusedError: when the port is taken.
        UnknownSessionError: when there is no such session as the reader's.
    """
    gc.set_threshold(_COLLECTS_AFTER)
    with taken_port(port) as taken, serving_warm(root) as store:
        reader.require_known(store)
        app = make_app(store, reader, lambda: server.should_exit)
        threading.Thread(target=app.state.prepare, daemon=True, name="prepare").start()
        token, once = secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_urlsafe(_TOKEN_BYTES)
        taken.listen()  # who connects from now on is answered once the server runs
        own_port = taken.getsockname()[1]
        config = uvicorn.Config(
            Guard(app, own_port, token, once),
            host=HOST,
            port=own_port,
            log_config=None,
            access_log=False,
            http=BoundedHttp,
            ws="none",
            lifespan="off",
            server_header=False,
            h11_max_incomplete_event_size=MOST_HEAD_BYTES,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = uvicorn.Server(config)
        place = f"http://{HOST}:{own_port}/{view}?token="
        tell(f"{place}{token}", f"{place}{once}")
        server.run(sockets=[taken])
