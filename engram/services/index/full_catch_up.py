"""Bringing an index up to date, words at once and vectors for as long as there is time, while others go on asking it.

Words are taken in under the index's lock, in slices. Vectors are made without it: texts are read from the index, the
newest first, embedded while it is closed, and given to it when it is opened again.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from typing import NamedTuple

from engram.ports.index import PassageVectors
from engram.ports.index import Switched
from engram.ports.index import Unembedded
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.index.catch_up import catch_up

WORDS_TOLD = "taking in what was recorded"
NOTES_TOLD = "taking in notes"
VECTORS_TOLD = "embedding"
MOST_AHEAD = 50_000  # documents that are taken in before who merges them comes: until then they lie in memory
_SLICE_S = 0.5  # of work between two looks at who waits
_LOT = 512  # texts embedded between two openings of the index: some seconds
_TOLD_AFTER = 32  # texts after which it is told how far it is


def is_current(journal: Journal, index: VectorIndex) -> bool:
    """Tell whether an index surely stands for the whole of a journal, without reading more than its last line."""
    return (index.position(), index.head_hash()) == journal.head()


class Allowance:
    """Seconds that may go into vectors, however many times the index is brought up to date meanwhile."""

    def __init__(self, seconds: float | None = None) -> None:
        """Take the seconds; None: as many as it takes."""
        self.left_s = seconds

    def spend(self, seconds: float) -> None:
        """Take away what was used."""
        if self.left_s is not None:
            self.left_s = max(0.0, self.left_s - seconds)

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is left."""
        return self.left_s is not None and self.left_s <= 0


class Current(NamedTuple):
    """An index that lacks no words, and says how many vectors it lacks."""

    position: int  # of the journal
    behind: int  # records that came while it was being brought up
    documents: int
    switched: Switched | None  # when another model took over
    unembedded: int = 0  # documents for whose vectors there was no time

    def as_json(self) -> dict[str, Any]:
        """Return what is reported of it."""
        shown: dict[str, Any] = {"position": self.position, "behind": self.behind, "documents": self.documents}
        shown |= {"unembedded": self.unembedded} if self.unembedded else {}
        return shown | ({"model_changed": self.switched._asdict()} if self.switched else {})


class Keeper:
    """Does the work in slices, and lets go of the index between two of them when somebody waits for it."""

    def __init__(
        self,
        journal: Journal,
        opened: Callable[[], AbstractContextManager[VectorIndex]],
        is_wanted: Callable[[], bool],
        *,
        vectors: PassageVectors | None,
        clock: Callable[[], float],
        zone: dt.tzinfo = dt.UTC,
        notes: Callable[[VectorIndex], int] = lambda _index: 0,
    ) -> None:
        """Take the journal, what opens the index under its lock, and what tells whether somebody waits for that lock.

        `vectors` makes those of the index's own model; None leaves the index with words. `notes` brings the index to
        what the notes say until somebody waits, and returns how many files are left. For the others see `catch_up`.
        """
        self._journal = journal
        self._opened = opened
        self._is_wanted = is_wanted
        self._vectors = vectors
        self._clock = clock
        self._zone = zone
        self._notes = notes

    def run(
        self, allowance: Allowance | None = None, progress: Progress = tell_nobody, most: int | None = None
    ) -> Current:
        """Bring the index to the journal's head, and vectors into it for as long as the allowance lasts.

        `most` is after how many more documents no further words are taken in, give or take a batch: `behind` says then
        how many records are left.
        """
        allowance, vectors = allowance or Allowance(), self._vectors
        made: dict[Unembedded, list[float]] = {}
        done = behind = 0
        is_over = False
        full: int | None = None  # documents
        while True:
            with self._opened() as index:
                if most is not None and full is None:
                    full = index.count() + most
                is_full = partial(_holds, index, full)
                index.give_vectors(made)
                made = {}
                if not is_full():
                    behind = self._take_in(index, progress, is_full)
                if behind and not is_full():  # somebody waits
                    continue
                lot = index.unembedded(_LOT)
                if vectors is None or not lot or is_over:
                    return self._end(index, behind)
                left = index.note_unembedded()
            for part in _parts(lot):
                progress(VECTORS_TOLD, done, done + left, allowance.left_s)
                known = self._embed(vectors, part, allowance)
                made |= known
                done, left = done + len(known), left - len(known)
                if len(known) < len(part):
                    is_over = True
                    break

    def take_in_words(self, is_over: Callable[[], bool], most: int = MOST_AHEAD) -> None:
        """Bring the words of the index to the journal's head and to what the notes say, or until `is_over`.

        `most` is after how many more documents the rest is left to who merges them, give or take a batch.
        """
        full: int | None = None  # documents
        while not is_over():
            with self._opened() as index:
                full = index.count() + most if full is None else full
                if _holds(index, full) or not self._take_in(index, tell_nobody, partial(_ends, is_over, index, full)):
                    return

    def _take_in(self, index: VectorIndex, progress: Progress, is_over: Callable[[], bool] = lambda: False) -> int:
        """Take in words until there are no more, or somebody waits; return how many records, else files, are left."""
        most = 0
        while True:
            lag = catch_up(
                self._journal,
                index,
                budget_s=_SLICE_S,
                clock=self._clock,
                zone=self._zone,
                at_least_one=True,  # making the documents of one record may take longer than a slice
            )
            left = lag.behind or self._notes(index)
            if not left or self._is_wanted() or is_over():
                return left
            most = max(most, left)
            progress(WORDS_TOLD if lag.behind else NOTES_TOLD, most - left, most)

    def _embed(
        self, vectors: PassageVectors, lot: Sequence[Unembedded], allowance: Allowance
    ) -> dict[Unembedded, list[float]]:
        """Return the vectors that are known or could be made in time."""
        began = self._clock()
        made = vectors.embed_within([one.text for one in lot], allowance.left_s, self._clock)
        allowance.spend(self._clock() - began)
        return {one: vector for one, vector in zip(lot, made, strict=True) if vector is not None}

    def _end(self, index: VectorIndex, behind: int) -> Current:
        left = index.note_unembedded()
        return Current(index.position(), behind, index.count(), index.finish_model_switch(), left)


def fill_in_portions(keeper: Keeper, portion: int, merge: Callable[[], bool], progress: Progress = tell_nobody) -> bool:
    """Bring an index to the journal's head, merging it after each portion; return whether one was worth merging.

    What was not merged yet lies in memory, and merging takes memory for what it merges: so neither grows with the
    journal. `portion` is a number of documents; `merge` merges what has come since the last time.
    """
    is_merged = False
    while True:
        now = keeper.run(progress=progress, most=portion)
        is_merged = merge() or is_merged
        if not now.behind:
            return is_merged


def _ends(is_over: Callable[[], bool], index: VectorIndex, documents: int) -> bool:
    return is_over() or _holds(index, documents)


def _holds(index: VectorIndex, documents: int | None) -> bool:
    return documents is not None and index.count() >= documents


def _parts(lot: Sequence[Unembedded]) -> Iterator[list[Unembedded]]:
    """Yield a lot in parts of similar length: a batch is as slow as its longest text."""
    ordered = sorted(lot, key=lambda one: len(one.text))
    for first in range(0, len(ordered), _TOLD_AFTER):
        yield ordered[first : first + _TOLD_AFTER]
