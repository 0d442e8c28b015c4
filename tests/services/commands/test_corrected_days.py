"""From when and until when a correction holds: the days of its own words, and what they say nothing of as before."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from engram import Memory
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.cases import for_each

PILOT = "pilot goes live on December 4th in Gdynia, 12 lockers"
PROJECT = "projects/parcelhub"


class Clocked:
    """A memory on 21 November 2026, with a clock that a test turns."""

    def __init__(self, root: str) -> None:
        self.now = dt.datetime(2026, 11, 21, 9, tzinfo=dt.UTC)
        self.memory = Memory(open_workspace(root, now=lambda: self.now))
        self.memory.entity_add(PROJECT)

    def corrected(self, old: str, new: str, **fields: Any) -> tuple[str, str]:
        """Write a statement, correct it, and return the days from and until which the new one holds."""
        written = self.memory.write(PROJECT, old, **fields)
        return self.right(str(written.id), new)

    def right(self, fact_id: str, new: str) -> tuple[str, str]:
        """Correct a fact, and return the days from and until which the new one holds."""
        found = self.memory.show(str(self.memory.correct(fact_id, new).id))
        return str(found.valid_from)[:10], str(found.valid_to)[:10] if found.valid_to else ""


@pytest.fixture
def clocked(workspace: Workspace) -> Iterator[Clocked]:
    made = Clocked(str(workspace.paths.root))
    yield made
    assert made.memory.verify().problems == ()
    made.memory.close()


@for_each(
    ("new", "day"),
    [
        ("pilot goes live on 11 December in Gdynia, 12 lockers", "2026-12-11"),
        ("der Pilot startet am 11. Dezember in Gdynia", "2026-12-11"),
        ("le pilote démarre le 11 décembre à Gdynia", "2026-12-11"),
        ("el piloto empieza el 11 de diciembre en Gdynia", "2026-12-11"),
        ("пилот стартует 11 декабря в Гдыне", "2026-12-11"),
        ("试点12月11日在格丁尼亚上线", "2026-12-11"),
        ("파일럿은 12월 11일에 그디니아에서 시작한다", "2026-12-11"),
        ("pilot goes live tomorrow in Gdynia", "2026-11-22"),
        ("pilot goes live today in Gdynia", "2026-11-21"),
        ("pilot goes live in Gdynia, 16 lockers", "2026-12-04"),  # of the day it says nothing
        ("pilot goes live on 4 December in Gdańsk", "2026-12-04"),
    ],
)
def test_the_day_of_a_correction_is_that_of_its_words(clocked: Clocked, new: str, day: str) -> None:
    assert clocked.corrected(PILOT, new, valid_from="2026-12-04")[0] == day


def test_an_end_that_the_new_words_give_takes_the_place_of_the_old_day(clocked: Clocked) -> None:
    until = clocked.corrected(PILOT, "pilot runs until 11 December in Gdynia", valid_from="2026-12-04")

    assert until == ("2026-11-21", "2026-12-11")


def test_an_end_that_somebody_gave_beside_the_words_stays(clocked: Clocked) -> None:
    new = "pilot goes live on 11 December in Gdynia"

    assert clocked.corrected(PILOT, new, valid_to="2027-01-31") == ("2026-12-11", "2027-01-31")


def test_an_end_that_is_over_before_the_new_beginning_is_none(clocked: Clocked) -> None:
    new = "pilot goes live on 11 December in Gdynia"

    assert clocked.corrected(PILOT, new, valid_from="2026-12-04", valid_to="2026-12-09") == ("2026-12-11", "")


def test_a_beginning_that_somebody_gave_beside_the_words_stays_where_these_give_only_an_end(clocked: Clocked) -> None:
    dates = clocked.corrected(
        "the offer holds until 4 December", "the offer holds until 11 December", valid_from="2026-10-01"
    )

    assert dates == ("2026-10-01", "2026-12-11")


def test_a_day_of_the_content_moves_no_beginning(clocked: Clocked) -> None:
    old, new = "the report for March has 12 pages", "the report for April has 12 pages"

    assert clocked.corrected(old, new, valid_from="2026-10-01")[0] == "2026-10-01"


def test_a_day_without_a_year_is_the_one_nearest_to_the_day_that_was_wrong(clocked: Clocked) -> None:
    written = clocked.memory.write(PROJECT, PILOT, valid_from="2026-12-04")
    clocked.now += dt.timedelta(days=60)

    assert clocked.right(str(written.id), "pilot goes live on 11 December in Gdynia")[0] == "2026-12-11"


def test_a_corrected_promise_is_due_on_its_new_day(clocked: Clocked) -> None:
    old, new = "I will send the report by 4 December", "I will send the report by 11 December"
    written = clocked.memory.write(PROJECT, old, category="commitment")

    assert clocked.right(str(written.id), new)[1] == "2026-12-11"
