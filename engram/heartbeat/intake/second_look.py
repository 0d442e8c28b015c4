"""Sessions and notes of which some lines were judged by their words for want of time: they are read once more.

What a line is worth is told better by its vector. Which facts are drawn must not depend on how busy the machine was, so
a session or note is read again by a later run, when there is time for its vectors. What was drawn from it before is
known by its command and is not drawn again.
"""

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.heartbeat.intake.watermark_keys import key_of
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.ports.database import FactDatabase

CONSUMER = "second-look"
TO_JUDGE_AGAIN: Final = "to_judge_again"  # statistic of a run: how many sessions and notes wait for it
_MOST_TRIES: Final = 3  # after which what has no vectors stays as its words were judged
_MOST_AT_ONCE: Final = 30  # sessions and notes that one run judges once more


class Tried(NamedTuple):
    """How often a session or note was judged without the vectors of all its lines."""

    day: str  # the newest one of it, "" when it has none
    times: int
    run: str  # the last one that did

    def as_mark(self) -> str:
        """Return it as the value of a watermark."""
        return f"{self.day} {self.times} {self.run}"


def waiting_for_second_look(database: FactDatabase) -> dict[str, Tried]:
    """Return by watermark key what waits to be judged once more."""
    marks = {key: value for key, value in database.watermarks(CONSUMER).items() if value}
    return {key: Tried(day, int(times), run) for key, value in marks.items() for day, times, run in [value.split(" ")]}


def judged_again(waiting: Mapping[str, Tried], run: str) -> list[str]:
    """Return the keys of what a run judges once more, the newest first: not what it has judged itself."""
    of_others = (key for key, tried in waiting.items() if tried.run != run)
    return sorted(of_others, key=lambda key: (waiting[key].day, key), reverse=True)[:_MOST_AT_ONCE]


def second_look_marks(
    rows: Sequence[NoteEntry | Turn],
    whole: Collection[str],
    waiting: Mapping[str, Tried],
    taken: Iterable[str],
    run: str,
) -> list[Watermark]:
    """Return what is to be noted of a run: which sessions and notes wait for a second look, and which do no longer.

    Args:
        rows: what was read.
        whole: ids of those of which every line had its vector.
        waiting: what waited before the run.
        taken: the keys of those that this run was to read again; what is not among the rows has gone.
        run: id of this run.
    """
    lacking: dict[str, str] = {}  # key -> its newest day
    for row in rows:
        if row.id not in whole:
            key = key_of(row)
            lacking[key] = max(lacking.get(key, ""), _day_of(row))
    tried = {key: Tried(day, waiting[key].times + 1 if key in waiting else 1, run) for key, day in lacking.items()}
    still = {key: one for key, one in tried.items() if one.times <= _MOST_TRIES}
    over = {*taken, *(key_of(row) for row in rows)} & waiting.keys() - still.keys()
    noted = {key: one.as_mark() for key, one in still.items()} | dict.fromkeys(over, "")
    return [Watermark(consumer=CONSUMER, key=key, value=value) for key, value in sorted(noted.items())]


def _day_of(row: NoteEntry | Turn) -> str:
    if isinstance(row, NoteEntry):
        return row.on or ""
    return to_iso(row.at)[:10] if row.at else ""
