"""The short way of `signal`: what it takes, and that it says what the command line does."""

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.facts.short_signal import SignalCall
from engram.cli.facts.short_signal import answer
from engram.cli.facts.short_signal import signal_call
from engram.cli.main import main
from engram.workspace import Workspace
from tests.conftest import call_here

SHORT = "I prefer short meetings"
LONG_WAYS = [
    *(
        [],
        ["signal"],
        ["signal", "-"],
        ["signal", "--write", SHORT],
        ["signal", "--file", "f"],
        ["signal", SHORT, "more"],
    ),
    *(
        ["--json"],
        ["signal", "--", SHORT],
        ["signal", "--help"],
        ["signal", "-h"],
        ["signal", "\ud800"],
        [SHORT, "signal"],
    ),
    *(["--workspace", "w", "signal", SHORT], ["signal", "--no-create", SHORT], ["signals", SHORT]),
]


@pytest.mark.parametrize("args", LONG_WAYS)
def test_all_but_one_text_is_left_to_the_command_line(args: list[str]) -> None:
    assert signal_call(args) is None
    assert answer(args) is None


@pytest.mark.parametrize(
    "args", [["signal", SHORT, "--json"], ["signal", "--json", SHORT], ["--json", "signal", SHORT]]
)
def test_json_can_be_asked_for_anywhere(args: list[str]) -> None:
    assert signal_call(args) == SignalCall(SHORT, as_json=True)


def _said(way: Any, args: list[str]) -> tuple[int, bytes, bytes]:
    done = call_here(args, b"", {}, way)
    return done.returncode, done.stdout, done.stderr


TEXT = st.sampled_from(["", " ", "signal", "a\nb", "\x07", SHORT, "Предпочитаю чай", "我喜欢喝茶", "ghp_" + "Ab1" * 12])


@given(st.lists(TEXT | st.sampled_from(["--json", "signal", "-x", "--write", "\udcff"]), max_size=3))
def test_whatever_is_said_both_ways_say_the_same(words: list[str]) -> None:
    args = ["signal", *words]
    if signal_call(args) is None:
        assert answer(args) is None
        return

    assert _said(answer, args) == _said(main, args)


def test_a_text_is_judged_without_the_command_line_being_loaded(workspace: Workspace) -> None:
    code = "import sys\nfrom engram.cli import entry\nentry.os._exit = lambda code: print(code, *sys.modules)\n"
    args = ["engram", "signal", SHORT]
    code += f"sys.argv = {args!r}\ntry:\n    entry.run()\nexcept SystemExit:\n    pass\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=workspace.paths.root,
        env=os.environ,
    )

    *said, left = done.stdout.splitlines()
    assert said[0].startswith("high (preference)")
    assert left.split()[0] == "0"
    assert not {"click", "engram.cli.main", "pydantic", "duckdb"} & {*left.split()}
