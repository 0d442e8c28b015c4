"""The page's process: it ends at once and in silence, also while a page listens."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from engram.web.app import STATIC
from engram.workspace import Workspace
from tests.conftest import workspace_in

Ask = Callable[..., http.client.HTTPResponse]


@contextlib.contextmanager
def served(workspace: Workspace) -> Iterator[tuple["subprocess.Popen[str]", Ask]]:
    """Run `engram ui` for a block; give the process, and what asks it with the cookie and the path as it is written."""
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "ui", "--json", "--no-open"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        contextlib.ExitStack() as open_until_the_end,
    ):
        assert process.stdout is not None
        link = urlsplit(json.loads(process.stdout.readline())["url"])

        def ask(path: str, **headers: str) -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection(link.hostname or "", link.port, timeout=30)
            open_until_the_end.callback(connection.close)
            connection.request("GET", path, headers=headers)
            return open_until_the_end.enter_context(connection.getresponse())

        cookie = ask(f"/today?{link.query}").headers["Set-Cookie"].partition(";")[0]
        open_until_the_end.callback(process.kill)
        yield process, lambda path: ask(path, Cookie=cookie)


@pytest.fixture(scope="module")
def page_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with served(workspace_in(tmp_path_factory.mktemp("page"))) as (_, ask):
        yield ask


def test_a_signal_ends_it_in_silence_while_a_page_listens(workspace: Workspace) -> None:
    with served(workspace) as (process, ask):
        assert ask("/api/live").readline().startswith(b"event: state")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (said, process.returncode) == ("", 0)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/assets/../app.py",
            "/assets/..%2fapp.py",
            "/assets/%2e%2e/app.py",
            "/assets/..%5capp.py",
            "/assets/..",
            "/assets/.",
        ),
        *("/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/../app.py", "/..%2f..%2fpyproject.toml", "//etc/passwd"),
    ],
)
def test_no_file_beside_the_front_end_is_given_out(page_server: Ask, path: str) -> None:
    answer = page_server(path)
    assert answer.status == 404 or answer.read() == (STATIC / "index.html").read_bytes()


def test_a_file_of_the_front_end_is_given_out(page_server: Ask) -> None:
    script = next((STATIC / "assets").glob("index-*.js"))
    answer = page_server(f"/assets/{script.name}")
    assert (answer.status, answer.read()) == (200, script.read_bytes())
