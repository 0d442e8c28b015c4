"""Vectors of the lines that the built-in judge looks at: made ahead of all questions, those of the newest lines first.

What there is no time for is judged by its words; the index makes its vectors later.
"""

import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import islice
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.ports.index import PassageVectors
from engram.ports.progress import Progress
from engram.services.extract.extract import lines_to_embed
from engram.services.extract.lines.passage import read_passages
from engram.services.extract.lines.vectors import pack_vectors
from engram.services.extract.lines.vectors import texts_to_embed

Row = Mapping[str, Any]  # of a question
Packed = Mapping[str, str]  # text to its vector, as it goes to a child


class LineVectors(NamedTuple):
    """The vectors of the lines of some rows."""

    of_rows: dict[str, Packed]  # by the id of a row
    whole: set[str]  # ids of the rows of which every line has its vector


SHARE: Final = 0.4
"""Of the seconds for which a run embeds, what the judge may take: a line without a vector is judged by its words."""
_LEAST_SHARE: Final = 0.1
_ROWS_A_SECOND: Final = 500  # that a run reads and records, about: a long past leaves less for vectors
_TOLD: Final = "embedding what is to be judged"
_LOT: Final = 256  # rows whose texts are sorted by their length and embedded together


def seconds_for_judging(embedding_s: float, rows: int) -> float:
    """Return how long vectors for the judge may take, in a run that embeds until `embedding_s` and reads `rows`."""
    return max(_LEAST_SHARE * embedding_s, min(SHARE * embedding_s, embedding_s - rows / _ROWS_A_SECOND))


def newest_first(rows: Iterable[NoteEntry | Turn]) -> list[NoteEntry | Turn]:
    """Return entries and turns by their day, the newest first; what has no day is meant to hold now and comes first."""
    return sorted(rows, key=_day, reverse=True)


def make_vectors(
    source: PassageVectors,
    rows: Sequence[Row],
    budget_s: float,
    progress: Progress,
    clock: Callable[[], float] = time.monotonic,
) -> LineVectors:
    """Return the vectors of the lines of rows, of the first ones until the time is over.

    Rows of which nothing is known yet when the time is over are not even read.
    """
    made = LineVectors({}, set())
    ends = clock() + budget_s
    done = 0
    for lot in _lots(rows):
        progress(_TOLD, done, len(rows), max(0.0, ends - clock()))
        texts = {str(row["id"]): _texts(row) for row in lot}
        every = list(dict.fromkeys(text for of_row in texts.values() for text in of_row))
        found = source.embed_within(every, max(0.0, ends - clock()))
        known = {text: vector for text, vector in zip(every, found, strict=True) if vector is not None}
        for row_id, of_row in texts.items():
            made.of_rows[row_id] = pack_vectors({text: known[text] for text in of_row if text in known})
            if all(text in known for text in of_row):
                made.whole.add(row_id)
        done += len(lot)
        if len(known) < len(every):
            break
    return made


def _texts(row: Row) -> list[str]:
    lines = lines_to_embed(read_passages([row]))
    return list(dict.fromkeys(text for line in lines for text in texts_to_embed(line)))


def _lots(rows: Sequence[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while lot := list(islice(rest, _LOT)):
        yield lot


def _day(row: NoteEntry | Turn) -> str:
    latest = "9999"
    if isinstance(row, NoteEntry):
        return row.on or latest
    return to_iso(row.at)[:10] if row.at else latest
