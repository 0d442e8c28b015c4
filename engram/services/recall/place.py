"""A place of a note, read with the lines around it: what a hit's path and lines lead back to."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.model.document import Document
from engram.model.document import Hit
from engram.ports.database import FactDatabase
from engram.ports.index import VectorIndex
from engram.services.recall.hits import is_for
from engram.services.recall.hits import make_hit
from engram.services.recall.presentation.passages import OWN_LINE
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.candidates import CandidateSource

_FORM = re.compile(r"(?P<path>.+):(?P<line>\d{1,9})(?:-\d{1,9})?")
_EXAMPLE = "such as memory/main/2026-02-24.md:12"


class Place(NamedTuple):
    """A line of a note."""

    path: str  # relative to the workspace
    line: int  # from 1

    def __str__(self) -> str:
        """Write it as hits do."""
        return f"{self.path}:{self.line}"


def parse_place(text: str, root: Path) -> Place:
    """Return the place that PATH:LINE, or PATH:FIRST-LAST, means; the path is absolute or relative to the workspace.

    Raises BadValueError when there is no line, or when the path leads out of the workspace.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None or not int(found["line"]):
        raise BadValueError(f"--at {text!r} is not PATH:LINE", hint=_EXAMPLE)
    base = root.resolve()
    path = (base / found["path"]).resolve()
    if not path.is_relative_to(base):
        raise BadValueError(f"--at {found['path']!r} is not in the workspace {base}", hint=_EXAMPLE)
    return Place(path.relative_to(base).as_posix(), int(found["line"]))


def check_line(place: Place, text: str) -> None:
    """Raise BadValueError when a note of that text has no such line."""
    lines = len(text.splitlines())
    if place.line > lines:
        raise BadValueError(f"--at {place}: the note has {lines} lines", hint=f"the last one is {place.path}:{lines}")


class Reader:
    """Reads places in one state of index and database."""

    def __init__(self, index: VectorIndex, database: FactDatabase, around: RecallContext) -> None:
        """See `Recall`."""
        self._index = index
        self._gatherer = CandidateSource(index, database, around)
        self._zone = around.zone

    def read(self, place: Place, ids: Sequence[str], asker: RecallQuery) -> Hit:
        """Return the lines under the same heading around a place, as far as they may be shown and still hold.

        Args:
            place: of the note.
            ids: of what the index holds of the note.
            asker: a query that says who asks; its question does not matter.

        Raises:
            NotFoundError: when nothing of the note, or nothing there, is for this asker.
            UnknownSessionError: when there is no such session.
        """
        who = asker.asked_by(self._gatherer.caller(asker.session, asker.agent))
        known = {one.id: one for one in self._index.retrieve(ids) if is_for(one, who)}
        if not known:
            raise NotFoundError(f"there is no note {place.path!r}", hint="paths are those that recall shows")
        here = _nearest(list(known.values()), place.line)
        here = here if here.beside else here.model_copy(update={"beside": (here.id,)})
        shown = self._gatherer.lines_around([here], who)
        around = [shown[key] for key in here.beside if key in shown and key in known]
        if not around:
            raise NotFoundError(f"nothing at {place} is shown", hint="it does not hold any more, or waits for a review")
        return self._hit(here, around)

    def _hit(self, here: Document, around: Sequence[Document]) -> Hit:
        marked = [f"{OWN_LINE if one.id == here.id and len(around) > 1 else ''}{one.text}" for one in around]
        first, last = _span(around[0])[0], _span(around[-1])[1]
        lines = str(first) if first == last else f"{first}-{last}"
        shown = next((one for one in around if one.id == here.id), around[0])
        pool = CandidateSet()
        pool.documents[shown.id] = shown.model_copy(update={"lines": lines})
        return make_hit(pool, shown.id, 0.0, self._zone, text="\n".join(marked))


def _nearest(documents: Sequence[Document], line: int) -> Document:
    """Return the text on a line, or else the nearest one below it, such as that under a heading, or above it."""

    def distance(one: Document) -> tuple[bool, int]:
        first, last = _span(one)
        return last < line, max(first - line, line - last, 0)

    return min(documents, key=distance)


def _span(document: Document) -> tuple[int, int]:
    first, _, last = (document.lines or "0").partition("-")
    return int(first), int(last or first)
