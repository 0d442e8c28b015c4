"""A warm server as a real process, and what tests ask of it."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.warm.client import ask
from engram.workspace import Workspace

LONG_S = 60.0  # a machine that is busy with other things fails no test


def until(is_so: Callable[[], Any]) -> Any:
    """Wait for something; return what it is."""
    deadline = time.monotonic() + LONG_S
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.02)
    return found


def ping(workspace: Workspace) -> dict[str, Any] | None:
    """Return what the warm server says of itself."""
    reply = ask(workspace.paths.root, {"do": "ping"}, LONG_S)
    return None if reply is None else dict(reply["answer"])


@contextlib.contextmanager
def warm_process(workspace: Workspace, *, waits: bool = True) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `engram mcp --warm-only` until the end of the block."""
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "mcp", "--warm-only"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=dict(os.environ))
    try:
        if waits:
            until(lambda: process.poll() is not None or (ping(workspace) or {}).get("pid") == process.pid)
        yield process
    finally:
        process.kill()
        process.wait()


def address(workspace: Workspace) -> Path:
    """Return the file that says where the socket is."""
    return workspace.paths.warm_address
