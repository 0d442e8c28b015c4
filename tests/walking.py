"""Takes the four walks of docs/ARCHITECTURE.md with a profiler switched on: python -m tests.walking FOLDER.

A process of its own, because what an earlier test has loaded and keeps in a cache would not be called again. Prints one
JSON object: name of the walk -> dotted names of the modules of engram in which a function was called.
"""

import contextlib
import inspect
import io
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import engram
from engram.cli.entry import hook_call
from engram.cli.main import main as engram_command
from engram.heartbeat.answers.extraction import answer
from engram.heartbeat.child import child_answer
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.run import run_hook
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.rules.handoff.handoff import render_handoff
from engram.workspace import Workspace
from tests.conftest import workspace_in

_PACKAGE = Path(engram.__file__).parent


def walk_all(folder: Path) -> dict[str, list[str]]:
    """Take the walks one after the other in one workspace, and return which modules each passes."""
    workspace = workspace_in(folder)
    return {
        "prompt": _passed(lambda: _prompt(workspace)),
        "question": _passed(lambda: _command(workspace, "recall", "which tea does she prefer")),
        "note": _passed(lambda: _note(workspace)),
        "mcp": _passed(lambda: _mcp(workspace)),
    }


def _prompt(workspace: Workspace) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "transcript_path": "/none", "cwd": "/none"}
    call = hook_call(["--workspace", str(workspace.paths.root), "hooks", "run", "user-prompt", "--host", "claude-code"])
    assert call is not None
    raw = json.dumps({**event, "prompt": "I prefer green tea to coffee, please remember that."}).encode()
    assert run_hook(call.event, raw, call.workspace_dir, call.host) is not None
    assert workspace.spool.waiting()
    with workspace.writing("test"):
        assert workspace.journal.head()[0] > 0


def _command(workspace: Workspace, *arguments: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert engram_command(["--workspace", str(workspace.paths.root), *arguments]) == 0


def _note(workspace: Workspace) -> None:
    """The child runs as always; what it is asked is answered once more here, where the profiler sees it."""

    def run_and_repeat(command: Any, question: str, limits: Any, **more: Any) -> Ending:
        if "extraction" in command:
            assert render_handoff(answer(json.loads(question)), "HB-EXTRACT").startswith("=== HB-EXTRACT")
        return run_limited(command, question, limits, **more)

    _command(workspace, "note", "add", "We decided to use PostgreSQL 16 for the billing service.")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(child_answer, "run_limited", run_and_repeat)
        result = run_heartbeat(workspace)
    assert result.status == "ok", result


def _mcp(workspace: Workspace) -> None:
    said = {"entity": "people/anna", "fact": "Anna prefers green tea"}
    assert not call_tool(workspace, Caller(), "memory_remember", said).is_error


def _passed(walk: Any) -> list[str]:
    with _profiled() as files:
        walk()
    inside = sorted(Path(file).relative_to(_PACKAGE) for file in files if Path(file).is_relative_to(_PACKAGE))
    return [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in inside]


@contextlib.contextmanager
def _profiled() -> Iterator[set[str]]:
    """Collect the files of all functions that are called; the body of a class or module is no function."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


if __name__ == "__main__":
    print(json.dumps(walk_all(Path(sys.argv[1]))))
