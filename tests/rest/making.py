"""The server's application over a real workspace, asked as a program asks it."""

from starlette.testclient import TestClient

from engram.loopback.port import hosts
from engram.rest.app import RestApp
from engram.rest.door import Door
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace

PORT = 7437
TOKEN = "a-token-of-this-workspace"


def connect(workspace: Workspace, door: Door = Door(), *, token: str | None = TOKEN) -> TestClient:  # noqa: B008
    """Return a client of the server that shows the token, or another one, or none."""
    app = RestApp(WarmStore(workspace.paths.root), door, token=TOKEN, hosts=hosts(PORT))
    shown = {} if token is None else {"Authorization": f"Bearer {token}"}
    return TestClient(app, base_url=f"http://{hosts(PORT)[0]}", headers=shown)
