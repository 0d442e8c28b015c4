"""The warm process as hooks start it: real processes, asked by real hooks."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.hooks.background.warm_start import NO_START
from engram.store.recall_log import RecallLog
from engram.warm.client import ask
from engram.workspace import Workspace
from tests.warm.serving import LONG_S
from tests.warm.serving import until

QUESTION = "Does Anna prefer tea or coffee?"
FACT = "Anna prefers green tea to coffee"


def environment() -> dict[str, str]:
    """Return the environment of a host: hooks may start a process."""
    return {name: value for name, value in os.environ.items() if name != NO_START}


def hook(root: Path, event: str = "user-prompt", **fields: Any) -> "subprocess.Popen[bytes]":
    """Start one hook as Claude Code does, its event sent."""
    sent = {"session_id": "abc", "cwd": "/a/shop", "transcript_path": "/a/none.jsonl", **fields}
    command = [sys.executable, "-P", "-m", "engram", "--workspace", str(root)]
    command += ["hooks", "run", event, "--host", "claude-code"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    assert process.stdin is not None
    process.stdin.write(json.dumps(sent).encode())
    process.stdin.close()
    return process


def told(process: "subprocess.Popen[bytes]") -> str:
    """Wait for a hook and return what its agent is told."""
    assert process.stdout is not None
    with process:
        out = process.stdout.read()
    assert process.returncode == 0
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out.strip() else ""


def asks(root: Path, prompt: str = QUESTION) -> str:
    """Send one prompt and return what is told about it."""
    return told(hook(root, prompt=prompt))


def running(root: Path) -> dict[str, Any]:
    """Return what the process that answers says of itself; empty when none does."""
    reply = ask(root, {"do": "ping"}, LONG_S)
    return dict(reply["answer"]) if reply else {}


def is_ready(root: Path) -> dict[str, Any]:
    """Return what a process that has loaded all that it needs says of itself; empty when there is none."""
    return {} if (root / ".engram/hooks/warm-starting").exists() else running(root)


def is_gone(pid: int) -> bool:
    """Tell whether a process that is no child of ours has ended; a container may leave nobody to bury it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def outcomes(workspace: Workspace) -> list[str]:
    """Return what became of each prompt."""
    return [row["outcome"] for row in RecallLog(workspace.paths.recall_log).rows() if row["kind"] == "prompt"]


def settings(workspace: Workspace, line: str) -> None:
    """Add a line to the settings of hooks."""
    with workspace.paths.settings.open("a") as out:
        out.write(f"\n[hooks]\n{line}\n")


@contextlib.contextmanager
def ended_at_last(root: Path) -> Iterator[None]:
    """Leave no process behind that hooks started for this workspace in the block."""
    try:
        yield
    finally:
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = entry.read_bytes().split(b"\0")
                if str(root).encode() in words and words[-3:-1] == [b"hooks", b"serve"]:
                    os.kill(int(entry.parent.name), signal.SIGKILL)


def started(workspace: Workspace) -> dict[str, Any]:
    """Have a first prompt start the process; return what it says of itself as soon as it is ready."""
    assert asks(workspace.paths.root) == ""
    return dict(until(lambda: is_ready(workspace.paths.root)))
