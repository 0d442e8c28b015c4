"""An answer on a person's screen: text first, its source below it, and as much as there is room for."""

from typing import Any

import click
import pytest

from engram.cli.recall.screen import fit
from engram.cli.recall.screen import hit_lines
from engram.cli.recall.screen import screen_text
from engram.workspace import Workspace
from tests.cli.test_tables import HEIGHT
from tests.cli.test_tables import on_terminal
from tests.conftest import Engram

WIDTH = 40
ASKED = "which book does Anna keep"


def hit(text: str = "Anna prefers tea", **fields: Any) -> dict[str, Any]:
    about = {"id": "people/anna-001", "kind": "fact", "entity": "people/anna", "trust": "trusted"}
    place = {"date": "2026-02-24", "source": "memory/main/2026-02-24.md", "path": "memory/main/2026-02-24.md"}
    return {**about, **place, "lines": "12", "session": None, "was": None, "now": None, "text": text, **fields}


def plain(number: int, one: dict[str, Any]) -> list[str]:
    return [click.unstyle(line) for line in hit_lines(number, one)]


def test_a_hit_is_its_text_and_below_it_where_that_comes_from() -> None:
    assert plain(1, hit("Anna prefers tea\nin the morning", was="Anna prefers coffee")) == [
        "1. Anna prefers tea",
        "   in the morning",
        "   was: Anna prefers coffee",
        "   people/anna-001, 2026-02-24, memory/main/2026-02-24.md:12",
    ]


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        (
            {"session": "codex/8f2e", "trust": "unverified"},
            "people/anna-001, 2026-02-24, said in codex/8f2e, not confirmed",
        ),
        ({"kind": "turn", "id": "turn/ab12", "session": "codex/8f2e"}, "2026-02-24, said in codex/8f2e"),
        ({"kind": "note", "id": "note/ab12"}, "2026-02-24, memory/main/2026-02-24.md:12"),
        ({"kind": "candidate"}, "people/anna-001, candidate, 2026-02-24, memory/main/2026-02-24.md:12"),
        ({"entity": "archives/anna", "path": None, "source": None}, "people/anna-001, 2026-02-24, archived"),
    ],
)
def test_a_source_is_told_in_the_words_by_which_a_person_finds_it(fields: dict[str, Any], origin: str) -> None:
    assert plain(12, hit(**fields))[-1] == "    " + origin


def test_an_escape_in_a_text_is_not_obeyed_by_the_terminal() -> None:
    assert plain(1, hit("Anna\x1b[2J prefers tea"))[0] == "1. Anna\ufffd[2J prefers tea"


def test_an_answer_without_hits_and_the_notes_of_any_other_are_shown_as_they_are() -> None:
    text = "=== recalled: 1 from memory ===\n1. ...\n=== end ===\nnote: no embedding model: words only"

    assert screen_text({"hits": []}, "nothing is known about that", fits=True) == "nothing is known about that"
    assert screen_text({"hits": [hit()]}, text, fits=True).endswith("12\x1b[0m\nnote: no embedding model: words only")


def test_hits_without_room_are_left_out_but_never_the_first() -> None:
    short, long = ["1. Anna prefers tea", "   here"], ["1. " + "tea " * 50, "   here"]

    assert fit([short, short], 4, WIDTH) == [short, short]
    assert fit([short, short], 3, WIDTH) == [short]
    assert fit([long, short], 1, WIDTH) == [long]


def test_a_line_takes_as_many_rows_as_it_is_wide() -> None:
    assert len(fit([["茶" * 30], ["Anna sings"]], 3, WIDTH)) == 2
    assert len(fit([["茶" * 30], ["Anna sings"]], 2, WIDTH)) == 1


def test_a_person_sees_what_fits_and_a_pipe_or_who_says_how_many_gets_all(workspace: Workspace, engram: Engram) -> None:
    lines = "".join(
        f'{{"entity": "people/anna", "create": true, "fact": "Anna keeps book {n} {"on the long shelf " * 3 * n}"}}\n'
        for n in range(1, 11)
    )
    engram("write", "--jsonl", "-", stdin=lines)

    shown = on_terminal(workspace, "recall", ASKED).splitlines()

    assert len(shown) < HEIGHT
    assert any(" more: -k " in line for line in shown)
    assert " more: -k " not in on_terminal(workspace, "recall", ASKED, "-k", "10")
    assert " more: -k " not in engram("recall", ASKED).out
    assert engram("recall", ASKED).out.startswith("=== recalled: ")
    assert on_terminal(workspace, "recall", ASKED, NO_COLOR="1").startswith("=== recalled: ")
