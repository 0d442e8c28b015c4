"""The short way of a hook: what it takes, and that it does what the command line does."""

import json
import os
import subprocess
import sys

import pytest

from engram.cli.entry import HookCall
from engram.cli.entry import hook_call
from engram.workspace import Workspace

PROMPT = json.dumps({"session_id": "demo", "prompt": "I prefer short meetings", "cwd": "/work"}).encode()
LOADED = "import json, sys\nfrom engram.cli import entry\nentry.os._exit = lambda code: print(code, *sys.modules)\n"


@pytest.mark.parametrize(
    ("args", "call"),
    [
        (["hooks", "run", "stop"], HookCall(None, "stop", None)),
        (["hooks", "run", "stop", "--host", "codex"], HookCall(None, "stop", "codex")),
        (["--workspace", "w", "hooks", "run", "stop"], HookCall("w", "stop", None)),
        (["--workspace", "w", "hooks", "run", "stop", "--host", "codex"], HookCall("w", "stop", "codex")),
        (["--workspace", "", "hooks", "run", "stop"], HookCall("", "stop", None)),
        (["hooks", "run"], None),
        (["hooks", "run", ""], None),
        (["hooks", "run", "--help"], None),
        (["hooks", "run", "--json", "stop"], None),
        (["hooks", "run", "stop", "--json"], None),
        (["hooks", "run", "stop", "--host"], None),
        (["hooks", "run", "stop", "--host", "--json"], None),
        (["hooks", "run", "stop", "--host=codex"], None),
        (["hooks", "run", "stop", "more", "words"], None),
        (["--workspace", "--json", "hooks", "run", "stop"], None),
        (["--workspace=w", "hooks", "run", "stop"], None),
        (["--json", "hooks", "run", "stop"], None),
        (["hooks", "run", "st\udcffop"], None),
        (["hooks", "status"], None),
        (["--workspace"], None),
        ([], None),
    ],
)
def test_only_what_an_installed_hook_says_goes_the_short_way(args: list[str], call: HookCall | None) -> None:
    assert hook_call(args) == call


def engram(*args: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "engram", *args], input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("event", "stdin"),
    [("session-start", PROMPT), ("user-prompt", b"\xff{"), ("no-such-event", b""), ("post-tool", PROMPT)],
)
def test_both_ways_say_the_same(workspace: Workspace, event: str, stdin: bytes) -> None:
    there = "--workspace", str(workspace.paths.root)
    short = engram(*there, "hooks", "run", event, "--host", "claude-code", stdin=stdin)
    long = engram(*there, "hooks", "run", event, "--host=claude-code", stdin=stdin)

    assert hook_call([*there, "hooks", "run", event, "--host=claude-code"]) is None
    assert (short.returncode, short.stdout, short.stderr) == (long.returncode, long.stdout, long.stderr)
    assert (short.returncode, short.stderr) == (0, b"")
    assert (b"additionalContext" in short.stdout) == (event == "session-start")


def test_a_process_that_used_the_engines_ends_in_order_and_is_not_taken_apart(workspace: Workspace) -> None:
    args = ["engram", "--workspace", str(workspace.paths.root), "write", "Anna prefers tea"]
    code = (
        "import atexit, sys, threading\n"
        "from engram.cli import entry\n"
        "class Torn:\n    def __del__(self): print('taken apart', flush=True)\n"
        "torn = Torn()\n"
        "atexit.register(print, 'handler')\n"
        "threading.Thread(target=lambda: (threading.main_thread().join(), print('thread', flush=True))).start()\n"
        f"sys.argv = {args!r}\nentry.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-2:] == ["thread", "handler"]
    assert done.stdout.startswith("created  people/")


def test_a_prompt_is_kept_without_the_command_line_being_loaded(workspace: Workspace) -> None:
    args = ["engram", "--workspace", str(workspace.paths.root), "hooks", "run", "user-prompt", "--host", "claude-code"]
    code = f"{LOADED}sys.argv = {args!r}\ntry:\n    entry.run()\nexcept SystemExit:\n    pass\n"
    done = subprocess.run([sys.executable, "-c", code], input=PROMPT, capture_output=True, check=True)

    left, *loaded = done.stdout.decode().split()
    assert left == "0"
    assert not {"click", "engram.cli.main", "pydantic", "duckdb"} & {*loaded}
    assert len(workspace.spool.waiting()) == 1


@pytest.mark.parametrize("way", ["--host=codex", "--host codex"])
def test_a_hook_without_standard_input_leaves_quietly(workspace: Workspace, way: str) -> None:
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "hooks", "run", "stop"]
    closed = subprocess.run(
        [sys.executable, "-c", "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])", *command,
         *way.split()], capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    with open(os.devnull, "wb") as unreadable:  # noqa: PTH123 - nothing but a stream that cannot be read
        refused = subprocess.run([*command, *way.split()], capture_output=True, check=False, stdin=unreadable)

    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")
    assert (refused.returncode, refused.stdout, refused.stderr) == (0, b"", b"")
