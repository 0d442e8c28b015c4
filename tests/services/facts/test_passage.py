"""The text around the words of a fact: in a file, in a conversation, gone, or not for the reader."""

from typing import Any

import pytest

from engram.base.text import sha256_hex
from engram.ports.database import FactFilter
from engram.services.facts.sources.passage import read_passage
from engram.services.visibility import identify
from engram.workspace import Workspace

WORDS = "Anna prefers tea"
NOTE = "# Monday\n\n- The office was quiet\n- Anna prefers tea, she says\n- Émile brings cake\n"
TURN = "turn/" + "a" * 32


def write(workspace: Workspace, source: dict[str, Any], text: str = WORDS) -> str:
    said = {"entity": "people/anna", "text": text, "create": True, "source": {"actor": "user", **source}}
    return workspace.submit("write", said).id or ""


def note_of(workspace: Workspace, text: str = NOTE) -> dict[str, Any]:
    """Write a note and return the source of a fact that was read in it."""
    path = "memory/main/main/2026-03-01.md"
    file = workspace.paths.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    begin = text.encode().index(WORDS.encode())
    return {"path": path, "start": begin, "end": begin + len(WORDS), "sha256": sha256_hex(WORDS.encode())}


def capture(workspace: Workspace, session: str, text: str) -> None:
    turn = {"id": TURN, "speaker": "user", "text": text, "at": "2026-03-01T10:00:00Z"}
    assert workspace.submit("capture", {"session": session, "turns": [turn]}).error is None


def passage(workspace: Workspace, session: str | None = None) -> dict[str, Any]:
    with workspace.reading() as database:
        (fact,) = database.list_facts(FactFilter(entity="people/anna"))
        caller = None if session is None else identify(database, "main", session)
        return read_passage(database, fact, workspace.files, caller)


def test_the_words_in_a_note_stand_between_the_lines_around_them(workspace: Workspace) -> None:
    write(workspace, note_of(workspace))

    found = passage(workspace)

    assert (found["state"], found["line"], found["quote"]) == ("intact", 4, WORDS)
    assert found["before"] + found["quote"] + found["after"] == NOTE


def test_of_a_long_note_whole_lines_around_the_words_are_shown(workspace: Workspace) -> None:
    line = "- nothing that matters here, é\n"
    write(workspace, note_of(workspace, line * 300 + f"- {WORDS}\n" + line * 300))

    found = passage(workspace)

    assert found["before"].endswith("- ")
    assert set(found["before"].splitlines(keepends=True)[:-1]) == {line}
    assert 20 * len(line) < len(found["before"] + found["after"]) < 80 * len(line)
    assert set(found["after"].splitlines()) <= {line.strip(), ""}


def test_of_a_line_without_an_end_only_what_is_near_the_words_is_shown(workspace: Workspace) -> None:
    write(workspace, note_of(workspace, "é" * 300_000 + f" {WORDS} " + "é" * 300_000))

    found = passage(workspace)

    assert found["quote"] == WORDS
    assert (set(found["before"]), set(found["after"])) == ({"é", " "}, {"é", " "})
    assert 100 < len(found["before"]) < 1000 > len(found["after"]) > 100


def test_words_that_are_gone_are_told_as_gone(workspace: Workspace) -> None:
    source = note_of(workspace)
    write(workspace, source)
    (workspace.paths.root / source["path"]).write_text("- nothing\n")

    found = passage(workspace)

    assert (found["state"], found["before"], found["after"]) == ("changed", "", "")


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        (f"Hello. {WORDS}. And cake?", ("Hello. ", WORDS, ". And cake?")),
        ("She likes tea best", ("", "She likes tea best", "")),
        (WORDS, ("", WORDS, "")),
    ],
    ids=["word for word", "in other words", "nothing else"],
)
def test_a_statement_is_marked_in_its_turn(workspace: Workspace, said: str, marked: tuple[str, ...]) -> None:
    capture(workspace, "claude-code/x", said)
    write(workspace, {"session": "claude-code/x", "turn": TURN})

    found = passage(workspace)

    assert (found["before"], found["quote"], found["after"]) == marked
    assert (found["speaker"], found["at"]) == ("user", "2026-03-01T10:00:00Z")


def test_what_somebody_stated_has_no_text_around_it(workspace: Workspace) -> None:
    write(workspace, {"label": "Anna herself"})

    assert passage(workspace)["state"] == "stated"


def test_raw_text_of_another_session_is_not_shown_beside_a_fact_that_is(workspace: Workspace) -> None:
    capture(workspace, "claude-code/x", f"{WORDS}. The launch code is 4711.")
    workspace.submit("session-add", {"name": "claude-code/y"})
    write(workspace, {"session": "claude-code/x", "turn": TURN})

    theirs, own = passage(workspace, "claude-code/y"), passage(workspace, "claude-code/x")

    assert (theirs["state"], theirs["quote"], theirs["after"]) == ("private", None, "")
    assert "4711" in own["after"]
