"""The short way of `write`: what it takes, and that it says and keeps what the command line does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.facts.short_write import answer
from engram.cli.facts.short_write import write_call
from engram.cli.invocation.asked import Invocation
from engram.cli.main import main
from engram.workspace import Workspace
from tests.conftest import call_here
from tests.conftest import workspace_in
from tests.making import NOW

ANNA = ("--entity", "people/anna", "--fact", "Anna prefers tea")
TAKEN = [
    ANNA,
    (*ANNA, "--json"),
    (*ANNA, "--create", "--category", "preference", "--confidence", "0.5", "--tags", "a, b,"),
    (*ANNA, "--related", "people/boris", "--attribute", "drink", "--value", "tea", "--source", "a letter"),
    (*ANNA, "--actor", "agent", "--trust", "unverified", "--scope", "agent:main", "--candidate"),
    (*ANNA, "--valid-from", "2026-01-02", "--valid-to", "2026-02-03", "--abstraction", "principle"),
    (*ANNA, "--supersedes", "f-1,f-2", "--derived-from", "o-1", "--title", "Anna", "--session", "demo"),
    (*ANNA, "--confidence", "1", "--wait", "0.5", "--command-id", "one"),
    ("--entity", "", "--fact", "Anna prefers tea"),
]
LEFT = [
    (),
    ("--entity", "people/anna"),
    ("Anna prefers tea",),
    (*ANNA, "more"),
    (*ANNA, "--fact", "twice"),
    (*ANNA, "--create", "--create"),
    (*ANNA, "--no-create"),
    (*ANNA, "--category", "no-such"),
    (*ANNA, "--cat", "preference"),
    (*ANNA, "--confidence", "2"),
    (*ANNA, "--confidence", "nan"),
    (*ANNA, "--confidence", "1e-1"),
    (*ANNA, "--confidence", " 1"),
    (*ANNA, "--wait", "3601"),
    (*ANNA, "--wait", "-1"),
    (*ANNA, "--wait"),
    (*ANNA, "--actor", "import"),
    (*ANNA, "--help"),
    (*ANNA, "-h"),
    (*ANNA, "--"),
    (*ANNA, "--now", "2026-01-01T00:00:00Z"),
    (*ANNA, "--dry-run"),
    (*ANNA, "--semantic-check"),
    (*ANNA, "--jsonl", "-"),
    (*ANNA, "--workspace", "w"),
    ("--entity=people/anna", "--fact", "Anna prefers tea"),
    ("--entity", "people/anna", "--fact", "-x is bad"),
    ("--entity", "people/anna", "--fact", "a bell \a"),
    ("--entity", "people/anna", "--fact", "half \udcff"),
]
_OWN_ID = re.compile("01[0-9a-z]{24}")
MADE_NEW = frozenset({"id", "at", "crc"})  # of an envelope: no two are alike


@pytest.mark.parametrize("words", TAKEN)
def test_plain_arguments_go_the_short_way(words: tuple[str, ...]) -> None:
    assert write_call(["write", *words]) is not None
    assert write_call(["--workspace", "w", "write", *words]) is not None
    assert write_call(["--json", "write", *words]) is not None


@pytest.mark.parametrize("words", LEFT)
def test_all_other_arguments_are_left_to_the_command_line(words: tuple[str, ...]) -> None:
    assert write_call(["write", *words]) is None


@pytest.mark.parametrize(
    "args",
    [[], ["writes", *ANNA], ["signal", *ANNA], ["--workspace", "--json", "write", *ANNA], ["-h", "write", *ANNA]],
)
def test_other_commands_are_left_to_the_command_line(args: list[str]) -> None:
    assert write_call(args) is None


def _short(args: list[str]) -> int:
    """Do what the process does: the short way, and click for what it leaves."""
    done = answer(args)
    return done if isinstance(done, int) else main(args, spooled=done)


def outcome(way: Any, workspace: Workspace, words: tuple[str, ...]) -> tuple[Any, ...]:
    """Return what a way says of arguments, and what lies in the spool afterwards, which is emptied."""
    args = ["--workspace", str(workspace.paths.root), "write", *words]
    done = call_here(args, b"", {}, way)
    kept = [json.loads(path.read_bytes()) for path in workspace.spool.waiting()]
    for path in workspace.spool.waiting():
        path.unlink()
    plain = [{name: value for name, value in one.items() if name not in MADE_NEW} for one in kept]
    return done.returncode, _OWN_ID.sub("ID", done.stdout.decode()), _OWN_ID.sub("ID", done.stderr.decode()), plain


@pytest.mark.parametrize("words", [*TAKEN, *LEFT])
@pytest.mark.parametrize("how", [("--wait", "0"), ("--wait", "0", "--json"), ("--json", "--wait", "no")])
def test_both_ways_say_and_keep_the_same(workspace: Workspace, words: tuple[str, ...], how: tuple[str, ...]) -> None:
    plain = tuple(word for word in words if word not in {"-", "-h", "--help"})
    if "--wait" in plain or "--jsonl" in plain:
        how = how[2:] if how[0] == "--wait" else how[:1]
        plain = plain if "--wait" not in plain else (*plain[: plain.index("--wait")], "--wait", "0")

    assert outcome(_short, workspace, (*plain, *how)) == outcome(main, workspace, (*plain, *how))


@pytest.fixture(scope="module")
def shared_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One workspace for all examples of a property: nothing stays in its spool."""
    return workspace_in(tmp_path_factory.mktemp("shared"))


WORDS = """-|--|-x|people/anna|anna|a//b|preference|0|0.5|1.0|2|-1|nan|1_0|user|trusted|shared|session:demo|2026-01-02
tomorrow|2026-13-01|a,b|,|тест|a=b|\u0660|\u00a0|write|--fact|--json|Anna prefers tea|context|episode|person|f-1"""
WORD = st.sampled_from(
    ["", "\ud800", "\x07", "a\nb", "x" * 4001, "ghp_" + "Ab1" * 12, *WORDS.replace("\n", "|").split("|")]
)
NAME = st.sampled_from(
    [f"--{name}" for name in ("entity", "fact", "category", "confidence", "abstraction", "tags", "related", "value")]
    + [f"--{name}" for name in ("session", "actor", "trust", "scope", "valid-from", "valid-to", "supersedes", "title")]
    + ["--create", "--candidate", "--json", "--no-create", "--command-id", "--ent", "--dry-run", "-h", "--fact=x"]
)


@given(st.lists(st.tuples(NAME, WORD) | st.tuples(NAME) | st.tuples(WORD), max_size=3), st.booleans())
def test_whatever_is_said_both_ways_say_and_keep_the_same(
    shared_workspace: Workspace, said: list[tuple[str, ...]], is_plain: bool
) -> None:
    begin = ("--entity", "people/anna", "--fact", "Anna prefers tea") if is_plain else ()
    words = (*begin, *(word for pair in said for word in pair), "--wait", "0")
    if write_call(["write", *words]) is None:
        assert answer(["write", *words]) is None
        return

    assert outcome(_short, shared_workspace, words) == outcome(main, shared_workspace, words)


def process(args: list[str], workspace: Workspace, code: str = "") -> subprocess.CompletedProcess[bytes]:
    run = f"import sys\nfrom engram.cli import entry\nsys.argv = ['engram', *sys.argv[1:]]\n{code}entry.run()"
    command = [sys.executable, "-c", run, "--workspace", str(workspace.paths.root), *args]
    return subprocess.run(command, capture_output=True, check=False)


def test_a_plain_write_loads_neither_click_nor_an_engine(workspace: Workspace) -> None:
    telling = "entry.os._exit = lambda code: print(code, *sys.modules)\nsys.exit = entry.os._exit\n"

    said = process(["write", *ANNA, "--wait", "0"], workspace, telling).stdout.decode()

    answer, told = said.splitlines()[:2]
    code, *loaded = told.split()
    assert (answer.split()[0], code) == ("accepted", "0")
    assert not {"click", "pydantic", "duckdb", "inspect", "portalocker"} & {*loaded}
    assert len(workspace.spool.waiting()) == 1


def test_who_waits_and_has_to_apply_it_says_what_the_command_line_says(workspace: Workspace) -> None:
    words = ["--entity", "people/anna", "--create", "--json"]
    short = process(["write", *words, "--fact", "Anna prefers tea"], workspace)
    long = process(["write", *words, "--fact=Anna plays chess"], workspace)

    first, second = (json.loads(done.stdout) for done in (short, long))
    assert (short.returncode, short.stderr, first["status"]) == (0, b"", "created")
    assert (long.returncode, long.stderr, second["status"]) == (0, b"", "created")
    assert list(first) == list(second)
    assert workspace.spool.waiting() == []


def test_a_refusal_is_said_alike(workspace: Workspace) -> None:
    words = ["--entity", "people/nobody", "--fact"]
    short = process(["write", *words, "Nobody prefers tea"], workspace)
    long = process(["write", "--no-create", *words, "Nobody prefers tea"], workspace)

    assert (short.returncode, short.stdout, short.stderr) == (long.returncode, long.stdout, long.stderr)
    assert short.returncode != 0


def test_settings_that_cannot_be_read_are_told_alike_and_the_fact_is_kept_once(workspace: Workspace) -> None:
    workspace.paths.settings.write_text("[store]\nwait_s = 5\n[recall]\nno_such_key = 1\n")
    short = process(["write", *ANNA, "--create"], workspace)
    kept = len(workspace.spool.waiting())
    long = process(["write", "--create", "--create", *ANNA], workspace)

    told, again = (done.stderr.decode().split("kept as command")[0] for done in (short, long))
    assert (short.returncode, told) == (long.returncode, again)
    assert (kept, len(workspace.spool.waiting())) == (1, 2)


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/dev/full").exists(), reason="needs a device that is full")
def test_an_answer_that_cannot_be_written_is_told_alike(workspace: Workspace) -> None:
    there = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "write", "--wait", "0"]
    with Path("/dev/full").open("wb") as full:
        done = [
            subprocess.run([*there, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            for words in (ANNA, ("--entity=people/anna", *ANNA[2:]))
        ]

    assert done[0].stderr == done[1].stderr
    assert done[0].returncode == done[1].returncode != 0


def test_the_clock_is_that_of_the_process(workspace: Workspace) -> None:
    process(["write", *ANNA, "--wait", "0"], workspace)

    (path,) = workspace.spool.waiting()
    assert json.loads(path.read_bytes())["at"] > NOW.isoformat()


def test_what_fails_for_others_once_the_answer_is_given_is_only_said(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise RuntimeError("the engine is gone")

    asked = Invocation()
    asked.afterwards = fail
    asked.go_on()

    assert "RuntimeError: the engine is gone" in capsys.readouterr().err
