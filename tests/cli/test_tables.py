"""What a person sees in a terminal, and that a pipe, --json and NO_COLOR stay plain. Through a real terminal."""

import fcntl
import os
import pty
import re
import struct
import termios

import pytest

from engram.workspace import Workspace
from tests import forked
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in

ESCAPE = "\x1b["
COLOUR = re.compile(r"\x1b\[[\d;]*m")
HEIGHT, WIDTH = 30, 100


@pytest.fixture(autouse=True)
def _facts(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_facts)


def write_facts(workspace: Workspace) -> None:
    """Write Anna's employers, and a new fact."""
    engram = engram_in(workspace)
    slot = ("--entity", "people/anna", "--create", "--attribute", "employer", "--value")
    engram("write", "--fact", "Works at Acme", *slot, "Acme", "--valid-from", "2024-01-01")
    engram("write", "--fact", "Works at Globex", *slot, "Globex", "--valid-from", "2025-06-01")
    engram("write", "--entity", "people/anna", "--fact", "Anna prefers green tea", "--category", "preference")


def on_terminal(workspace: Workspace, *args: str, width: int = WIDTH, **environment: str) -> str:
    """Return what a command writes to a terminal of 30 lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, width, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
    env = {**kept, "TERM": "xterm-256color", "PAGER": "cat", **environment}
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - its descriptor
        process = forked.start(
            (theirs, theirs, nowhere.fileno()), ["--workspace", str(workspace.paths.root), *args], env=env
        )
    os.close(theirs)
    read = b""
    while chunk := _read(ours):
        read += chunk
    os.close(ours)
    assert process.wait() == 0
    return read.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how a terminal says that the other side has gone
        return b""


@pytest.mark.parametrize(
    ("args", "titles"),
    [
        (["facts"], ["id", "since", "category", "tier", "fact"]),
        (["facts", "--status", "all"], ["id", "since", "category", "tier", "state", "fact"]),
        (["entity", "list"], ["entity", "title", "facts", "also called"]),
        (["timeline", "anna"], ["from", "to", "id", "tier", "fact"]),
        (["diff", "2020-01-01"], ["what", "id", "fact"]),
        (["history", "anna-002"], ["learnt", "id", "state", "fact"]),
        (["config"], ["setting", "value"]),
    ],
)
def test_a_person_sees_a_table_with_a_header_and_colours(
    workspace: Workspace, args: list[str], titles: list[str]
) -> None:
    shown = on_terminal(workspace, *args)

    assert ESCAPE in shown
    header = next(line for line in shown.splitlines() if titles[0] in line)
    assert sorted(map(header.index, titles)) == [header.index(title) for title in titles]
    assert max(len(COLOUR.sub("", line)) for line in shown.splitlines()) <= WIDTH


def test_a_fact_stands_with_its_day_and_the_colour_of_its_tier(workspace: Workspace) -> None:
    shown = on_terminal(workspace, "facts", "-n", "1")

    assert "anna-003" in shown
    assert "2026-" in shown
    assert f"{ESCAPE}31mhot" in shown


@pytest.mark.parametrize("args", [["facts"], ["entity", "list"], ["timeline", "anna"]])
def test_who_wants_no_colour_or_reads_by_program_gets_what_a_pipe_gets(
    workspace: Workspace, engram_process: Engram, args: list[str]
) -> None:
    piped = engram_process(*args).out

    assert ESCAPE not in piped
    assert piped == on_terminal(workspace, *args, NO_COLOR="1").replace("\r\n", "\n")
    assert piped == on_terminal(workspace, *args, TERM="dumb").replace("\r\n", "\n")
    assert engram_process(*args, "--json").out == on_terminal(workspace, *args, "--json").replace("\r\n", "\n")


def test_a_long_fact_goes_on_in_the_next_line_and_loses_nothing(workspace: Workspace, engram: Engram) -> None:
    words = [f"word{number}" for number in range(40)]
    engram("write", "--entity", "people/anna", "--fact", " ".join(words))

    shown = on_terminal(workspace, "facts", "-n", "1")

    assert [word for word in words if word in shown] == words


def test_what_does_not_fit_on_the_screen_goes_through_the_pager(workspace: Workspace, engram: Engram) -> None:
    lines = "".join(f'{{"entity": "people/anna", "fact": "Anna read book {n}"}}\n' for n in range(HEIGHT))
    engram("write", "--jsonl", "-", stdin=lines)

    assert "PAGED" in on_terminal(workspace, "facts", PAGER="sed s/^/PAGED/")
    assert "PAGED" not in on_terminal(workspace, "facts", "-n", "3", PAGER="sed s/^/PAGED/")


def test_the_most_known_are_listed_first_when_they_are_limited(engram: Engram) -> None:
    engram("write", "--entity", "people/boris", "--create", "--fact", "Boris sings")

    assert [one["path"] for one in engram("entity", "list", "-n", "1", "--json").json["entities"]] == ["people/anna"]
    assert [one["text"] for one in engram("timeline", "anna", "-n", "1", "--json").json["facts"]] == [
        "Anna prefers green tea"
    ]


def test_on_a_narrow_screen_a_fact_stands_below_its_id(workspace: Workspace, engram: Engram) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna reads one long book after the other, " * 2)

    shown = [COLOUR.sub("", line).rstrip() for line in on_terminal(workspace, "facts", width=70).splitlines()]

    row = next(number for number, line in enumerate(shown) if line.startswith("people/anna-004"))
    assert shown[row + 1].startswith("  Anna reads one long book")
    assert max(map(len, shown)) <= 70


def test_a_person_reads_no_digests_and_no_ids_of_runs(workspace: Workspace, engram_process: Engram) -> None:
    ran = on_terminal(workspace, "heartbeat", "run", "--phase", "review", "--force")
    piped = engram_process("heartbeat", "run", "--phase", "review", "--force").out
    record = engram_process("heartbeat", "log", "1", "--json").json
    listed = on_terminal(workspace, "heartbeat", "log")

    assert "HEARTBEAT_OK" not in ran
    assert "heartbeat ok" in ran
    assert piped.splitlines()[-1] == "HEARTBEAT_OK"
    assert record["run_id"] in piped
    assert record["run_id"] not in listed + on_terminal(workspace, "heartbeat", "log", "1")
    assert "0 observations and 0 tensions wait" in on_terminal(workspace, "heartbeat", "log", "1")

    head = engram_process("verify", "--json").json["head"]
    assert head[:16] in engram_process("verify").out
    assert head[:8] not in on_terminal(workspace, "verify")


def test_a_fact_is_shown_in_words(workspace: Workspace, engram: Engram) -> None:
    view = engram("show", "anna-002", "--json").json

    for shown in (on_terminal(workspace, "show", "anna-002"), engram("show", "anna-002").out):
        assert "Works at Globex" in shown
        assert "employer = Globex" in shown
        assert "since 2025-06-01" in shown
        assert "replaces" in shown
        assert not any(word in shown for word in ("fingerprint", "skeleton", "precision", view["skeleton"]))
