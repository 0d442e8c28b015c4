"""A page's application over a real workspace, asked as a browser asks it."""

from starlette.testclient import TestClient

from engram.loopback.port import hosts
from engram.warm.warm_store import WarmStore
from engram.web.app import make_app
from engram.web.guard import Guard
from engram.web.reader import Reader
from engram.workspace import Workspace

PORT = 7437
TOKEN = "a-token-for-this-run"
ORIGIN = f"http://{hosts(PORT)[0]}"


def open_page(workspace: Workspace, reader: Reader = Reader(), *, entered: bool = True) -> TestClient:  # noqa: B008
    """Return a client of the page; one that entered by the link shows its cookie and says whose page asks."""
    app = Guard(make_app(WarmStore(workspace.paths.root), reader), PORT, TOKEN)
    client = TestClient(app, base_url=ORIGIN, follow_redirects=False, headers={"Origin": ORIGIN} if entered else {})
    if entered:
        assert client.get("/today", params={"token": TOKEN}).status_code == 303
    return client
