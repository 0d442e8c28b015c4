"""Bringing an index wholly up to date, words and vectors, while others go on asking it."""

import datetime as dt
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from typing import NamedTuple

from engram.ports.index import Switched
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal

_SLICE_S = 0.5  # of work between two looks at who waits


def is_current(journal: Journal, index: VectorIndex) -> bool:
    """Tell whether an index surely stands for the whole of a journal, without reading more than its last line."""
    return (index.position(), index.head_hash()) == journal.head()


class Current(NamedTuple):
    """An index that lacks nothing."""

    position: int  # of the journal
    behind: int  # records that came while it was being brought up
    documents: int
    switched: Switched | None  # when another model took over

    def as_json(self) -> dict[str, Any]:
        """Return what is reported of it."""
        shown: dict[str, Any] = {"position": self.position, "behind": self.behind, "documents": self.documents}
        return shown | ({"model_changed": self.switched._asdict()} if self.switched else {})


class Keeper:
    """Does the work in slices, and lets go of the index between two of them when somebody waits for it."""

    def __init__(
        self,
        journal: Journal,
        opened: Callable[[], AbstractContextManager[VectorIndex]],
        is_wanted: Callable[[], bool],
        *,
        clock: Callable[[], float],
        zone: dt.tzinfo = dt.UTC,
        notes: Callable[[VectorIndex, float | None], int] = lambda _index, _budget_s: 0,
    ) -> None:
        """Take the journal, what opens the index under its lock, and what tells whether somebody waits for that lock.

        `notes` brings the index to what the notes say within so many seconds, and returns how many files are left. For
        the others see `catch_up`.
        """
        self._journal = journal
        self._opened = opened
        self._is_wanted = is_wanted
        self._clock = clock
        self._zone = zone
        self._notes = notes

    def run(self) -> Current:
        """Bring the index to the journal's head and every vector into it."""
        slice_s = _SLICE_S
        before: tuple[int, int] | None = None
        while True:
            with self._opened() as index:
                while True:
                    behind, left = standing = self._step(index, slice_s)
                    if not behind and not left:
                        return Current(index.position(), behind, index.count(), index.settle())
                    slice_s *= 1 if standing != before else 2  # a slice must be long enough for one batch
                    before = standing
                    if self._is_wanted():
                        break

    def _step(self, index: VectorIndex, slice_s: float) -> tuple[int, int]:
        """Work for one slice; return how many records, else files of notes, are left, and how many vectors."""
        from engram.services.indexing import catch_up  # noqa: PLC0415 - an index that is current does not need it

        lag = catch_up(
            self._journal,
            index,
            budget_s=slice_s,
            clock=self._clock,
            zone=self._zone,
            at_least_one=True,  # making the documents of one record may take longer than a slice
        )
        if lag.behind:
            return lag.behind, index.pending()
        if unread := self._notes(index, slice_s):
            return unread, index.pending()
        return 0, index.embed_pending(slice_s, self._clock)
