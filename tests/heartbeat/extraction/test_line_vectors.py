"""Vectors for the judge: those of the newest lines, for as long as there is time, and none twice."""

import itertools
from collections.abc import Callable
from collections.abc import Sequence

import pytest

from engram.heartbeat.extraction.line_vectors import SHARE
from engram.heartbeat.extraction.line_vectors import make_vectors
from engram.heartbeat.extraction.line_vectors import newest_first
from engram.heartbeat.extraction.line_vectors import seconds_for_judging
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.ports.progress import tell_nobody
from tests.making import NOW


class Source:
    """A model that takes a second for each text, by its own clock."""

    name = "made for this test"

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[str] = []  # that had to be made
        self.known: set[str] = set()

    def embed_within(
        self, texts: Sequence[str], budget_s: float | None, clock: Callable[[], float] | None = None
    ) -> list[list[float] | None]:
        ends = self.now + (budget_s or 0)
        for text in texts:
            if text not in self.known and self.now < ends:
                self.now += 1
                self.asked.append(text)
                self.known.add(text)
        return [[1.0, 0.0] if text in self.known else None for text in texts]


def row(number: int) -> dict[str, object]:
    return {"id": f"note/{number}", "text": f"- Decided: the billing service moves to port {number}\n"}


def entry(on: str | None) -> NoteEntry:
    raw = {"id": f"note/{on}", "path": "memory/a.md", "text": "x", "sha256": "0", "start": 0, "end": 1, "line": 1}
    return NoteEntry.model_validate({**raw, "on": on, "actor": "agent"})


def test_rows_get_vectors_in_their_order_until_the_time_is_over() -> None:
    source, rows = Source(), [row(number) for number in range(9)]

    made = make_vectors(source, rows, 4.0, tell_nobody, lambda: source.now)

    assert [row_id for row_id, vectors in made.of_rows.items() if vectors] == ["note/0", "note/1", "note/2", "note/3"]
    assert len(source.asked) == 4
    assert made.whole == {"note/0", "note/1", "note/2", "note/3"}


def test_what_is_known_costs_no_time_and_is_not_made_again() -> None:
    source, rows = Source(), [row(number) for number in range(600)]
    make_vectors(source, rows, 1000.0, tell_nobody, lambda: source.now)
    asked = len(source.asked)

    made = make_vectors(source, rows, 0.0, tell_nobody, lambda: source.now)

    assert len(source.asked) == asked == 600
    assert all(made.of_rows[str(one["id"])] for one in rows)
    assert made.whole == {str(one["id"]) for one in rows}


def test_it_is_told_how_far_it_is_and_how_long_it_lasts_at_most() -> None:
    source, told = Source(), list[tuple[int, int, float | None]]()

    def tell(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        assert what
        told.append((done, total, most_s))

    make_vectors(source, [row(number) for number in range(300)], 1000.0, tell, lambda: source.now)

    assert told == [(0, 300, 1000.0), (256, 300, 744.0)]


def test_the_newest_come_first_and_before_them_what_has_no_day() -> None:
    turn = Turn(id="turn/1", session="s", text="x", ordinal=0, at=NOW)
    rows: list[NoteEntry | Turn] = [entry("2026-01-01"), turn, entry(None), entry("2026-06-01")]

    assert [one.on if isinstance(one, NoteEntry) else "turn" for one in newest_first(rows)] == [
        None,
        "2026-06-01",
        "turn",
        "2026-01-01",
    ]


@pytest.mark.parametrize("embedding_s", [0.0, 50.0])
def test_the_longer_the_past_the_less_time_is_left_but_always_some(embedding_s: float) -> None:
    seconds = [seconds_for_judging(embedding_s, rows) for rows in (0, 1000, 10_000, 28_000, 10**6)]

    assert seconds[0] == SHARE * embedding_s
    assert all(later <= earlier for earlier, later in itertools.pairwise(seconds))
    assert all(one > 0 for one in seconds) == bool(embedding_s)
