"""Making an index in a folder anew: beside the one that is there, in portions, so that memory does not grow with it.

The one that is there is asked until the new one stands whole, and stays when the making is broken off.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.errors import DegradedIndexError
from engram.ports.index import REBUILD
from engram.ports.index import PassageVectors
from engram.ports.journal import Journal
from engram.services.index.catch_up import catch_up
from engram.services.index.full_catch_up import Keeper
from engram.services.index.full_catch_up import fill_in_portions
from engram.services.index.note_freshness import Notes
from engram.store.index.documents import DocumentIndex
from engram.store.index.index_place import IndexPlace
from engram.store.locks import QueuedLock
from engram.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from engram.store.index.replacement import Replacement

_MANY_RECORDS = 100  # of the journal: an index that lacks fewer is brought up where it is


def lacks_most(place: IndexPlace, journal: Journal) -> bool:
    """Tell whether an index in a folder lacks so much of a journal that it is better made anew, in portions."""
    if place.is_shared:
        return False
    head = journal.head()[0]
    try:
        return head - (place.position() or 0) > max(_MANY_RECORDS, head // 2)
    except DegradedIndexError:
        return False


class IndexRebuild:
    """One making anew; the caller sees to it that nobody merges meanwhile."""

    def __init__(
        self,
        around: Surroundings,
        journal: Journal,
        place: IndexPlace,
        lock: Callable[[str], QueuedLock],
        opened: Callable[[], DocumentIndex],
    ) -> None:
        """Take the workspace, its journal, where its index lies, the lock of that, and what opens it under the lock."""
        self._around = around
        self._journal = journal
        self._place = place
        self._lock = lock
        self._opened = opened
        self._wait_s = around.settings.store.wait_s

    def require_one(self) -> None:
        """See to it that there is an index that can be opened, if an empty one."""
        with self._lock("rebuild").hold(wait_s=self._wait_s):
            try:
                self._opened().close()
            except DegradedIndexError as problem:
                if problem.hint != REBUILD:
                    raise
                self._place.destroy()
                self._opened().close()

    def run(self, made: "Replacement", vectors: PassageVectors | None, notes: Notes) -> bool:
        """Make all of it, and let it take its place; return whether it was worth merging.

        Raises DegradedIndexError, and leaves the former one, where the journal was written anew meanwhile.
        """
        zone = self._around.settings.zone
        keeper = Keeper(
            self._journal,
            made.open,
            lambda: False,
            vectors=vectors,
            clock=time.monotonic,
            zone=zone,
            notes=lambda index: notes.catch_up(index, None, thorough=True),
        )
        is_merged = fill_in_portions(keeper, made.portion, made.merge, self._around.progress)
        with self._lock("rebuild").hold(wait_s=self._wait_s):
            with made.open() as index:
                catch_up(self._journal, index, budget_s=0, clock=time.monotonic, zone=zone)  # is it the same journal?
            made.take_over(self._around.paths.indexed_notes)
        return is_merged
