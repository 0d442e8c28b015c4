"""The page's process: it ends at once and in silence, also while a page listens."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
from urllib.parse import urlsplit

from engram.workspace import Workspace


def test_a_signal_ends_it_in_silence_while_a_page_listens(workspace: Workspace) -> None:
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
        assert ask("/api/live", Cookie=cookie).readline().startswith(b"event: state")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (said, process.returncode) == ("", 0)
