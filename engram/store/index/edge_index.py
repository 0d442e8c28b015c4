"""The vector index in an embedded Qdrant shard: what lies on disk, and how it is made compact.

A folder holds `state.json` and the shard that it names. Optimising works on a copy of the shard without any lock and
ends with naming the copy in `state.json`; a shard that is not named is a leftover of a crash.
"""

import contextlib
import os
import shutil
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import portalocker

from engram.base.disk.faults import fault_point
from engram.base.disk.files import write_durably
from engram.base.ids import new_id
from engram.base.machine.free_memory import give_memory_back
from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.ports.index import REBUILD
from engram.ports.index import Embedder
from engram.store.index.documents import DocumentIndex
from engram.store.index.edge_engine import EdgeEngine
from engram.store.index.edge_files import STATE_FILE
from engram.store.index.edge_files import is_stale
from engram.store.index.edge_files import read_state_file
from engram.store.index.edge_files import remove_index
from engram.store.index.edge_files import shards
from engram.store.index.merge import bring_up
from engram.store.index.merge import merge
from engram.store.index.state import Recipes
from engram.store.index.state import State
from engram.store.index.state import read_state
from engram.store.index.state import write_state

_WORDS = "until its disk can be written, facts are found by their words"
_MERGED_FROM = 5_000  # new documents from which merging pays: below, opening takes a few hundredths of a second
_MERGED_SHARE = 0.1  # of the documents, likewise: the work stays in proportion however large the index grows


class EdgeVectorIndex(DocumentIndex):
    """ports.index.VectorIndex over one shard. One owner at a time: hold the index lock around it."""

    def __init__(self, folder: Path, embedder: Embedder | None, recipes: Recipes | None = None) -> None:
        """Open the index in the folder, or make an empty one at position 0.

        Raises DegradedIndexError when it is damaged, of another format, or lies where nothing can be written,
        StoreBusyError when another process has it open.
        """
        self._folder = folder
        if folder.is_dir() and not os.access(folder, os.W_OK):  # the engine writes even to be read
            raise DegradedIndexError(
                f"the index in {folder} cannot be opened where nothing can be written", hint=_WORDS
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            stack.enter_context(_owned(folder))
            if is_stale(folder):
                remove_index(folder)
            state, self._shard = _open(folder)
            stack.callback(self._close_shard)
            super().__init__(self._shard, state, embedder, recipes or Recipes())
            self._held = stack.pop_all()

    def close(self) -> None:
        """Let go of the files; unflushed points are written again by the next catch-up."""
        self._held.close()

    def _close_shard(self) -> None:
        self._shard.close()  # whichever it is by then

    def tidy(self) -> None:
        """Drop the vectors of models that are not used, and the shards that a crash left."""
        super().tidy()
        for shard in shards(self._folder):
            if shard.name != self._state.shard:
                shutil.rmtree(shard, ignore_errors=True)

    def copy_to_merge(self) -> Path | None:
        """Return a copy of the shard that is worth merging; None when too little has come since the last time.

        A vector that comes later counts like a document: it takes its point out of the compact form.
        """
        count = self.count()
        if count - self._state.merged + self._state.given < max(_MERGED_FROM, count * _MERGED_SHARE):
            return None
        self._engine.flush()
        place = self._folder / f"shard-{new_id()}"
        shutil.copytree(self._folder / self._state.shard, place)
        return place

    def adopt(self, place: Path, since: int, notes: str = "") -> None:
        """Go on with a merged copy that stood at a position, its notes under a mark: bring it up, then name it."""
        former = self._folder / self._state.shard
        fresh = EdgeEngine(self._folder, place.name)
        try:
            bring_up(fresh, self._shard, since, notes=not notes or notes != self.notes_mark())
        except BaseException:
            fresh.close()
            raise
        self._shard.close()
        self._engine = self._shard = fresh
        fault_point("before-index-adopted")
        self._keep(
            shard=place.name, merged=self.count(), given=0, filled=""
        )  # vectors may have come to old points meanwhile
        shutil.rmtree(former, ignore_errors=True)

    def merge_in_place(self) -> bool:
        """Merge what has come since the last time, without a copy; return whether it was enough to be worth it.

        A crash may leave an index that is damaged: only for one that nobody else knows of.
        """
        count = self.count()
        if count - self._state.merged < _MERGED_FROM:
            return False
        self._engine.flush()
        self._shard.close()
        give_memory_back()  # else what each portion leaves in pieces adds up: 110 MB with 100,000 documents
        merge(self._folder / self._state.shard, count)
        give_memory_back()
        self._engine = self._shard = EdgeEngine(self._folder, self._state.shard)
        self._keep(merged=count, given=0)
        return True

    def give_way(self, made: Path) -> None:
        """Go on as the index that lies, closed, in a folder of its own within this one's; that folder goes."""
        raw = read_state_file(made)
        if raw is None:
            raise DegradedIndexError(f"the index was removed from {made} while it was made", hint=REBUILD)
        state = read_state(raw, str(made / STATE_FILE))
        former, place = self._folder / self._state.shard, self._folder / f"shard-{new_id()}"
        (made / state.shard).rename(place)
        fresh = EdgeEngine(self._folder, place.name)
        self._shard.close()
        self._engine = self._shard = fresh
        self._state = state
        fault_point("before-index-adopted")
        self._keep(shard=place.name)
        for one in (former, made):
            shutil.rmtree(one, ignore_errors=True)


def optimise(opened: Callable[[], contextlib.AbstractContextManager[EdgeVectorIndex]]) -> bool:
    """Merge what has come since the last time into a compact form on the disk; return whether it was worth it.

    Clears first what crashes left. `opened` opens the index under its lock; it is called twice, and the lock is free
    while the merging goes on. One process at a time may do this: hold a lock of its own around it.
    """
    with opened() as index:
        index.tidy()
        count, since, notes, place = index.count(), index.position(), index.notes_mark(), index.copy_to_merge()
    if place is None:
        return False
    try:
        merge(place, count)
        with opened() as index:
            if not place.is_dir() or index.position() < since:  # removed meanwhile, and the copy with it
                shutil.rmtree(place, ignore_errors=True)
                return False
            index.adopt(place, since, notes)
    except BaseException:
        with contextlib.suppress(OSError):
            shutil.rmtree(place)
        raise
    return True


@contextlib.contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Own the folder, whatever lock the caller holds: without a log the engine itself keeps no second owner away."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        portalocker.lock(handle, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        yield
    except portalocker.LockException as problem:
        raise StoreBusyError(f"another process has the index in {folder} open") from problem
    finally:
        os.close(handle)  # ends the lock


def _open(folder: Path) -> tuple[State, EdgeEngine]:
    raw = read_state_file(folder)
    if raw is None and shards(folder):
        raise DegradedIndexError(f"the index in {folder} has lost its {STATE_FILE}", hint=REBUILD)
    state = State() if raw is None else read_state(raw, str(folder / STATE_FILE))
    place = folder / state.shard
    if state.position == 0:
        return _open_unfinished(folder, state)
    if not place.is_dir():
        raise DegradedIndexError(f"the index in {folder} has lost its shard", hint=REBUILD)
    return state, EdgeEngine(folder, state.shard)


def _open_unfinished(folder: Path, state: State) -> tuple[State, EdgeEngine]:
    # Nothing was promised yet at position 0, so whatever a crash left there may be thrown away.
    place = folder / state.shard
    try:
        if place.is_dir():
            return state, EdgeEngine(folder, state.shard)
    except DegradedIndexError:
        shutil.rmtree(place)
    # First: a shard without a state is one that has lost it, and only maintenance mends that.
    write_durably(folder / STATE_FILE, write_state(State()))
    return State(), EdgeEngine(folder, State().shard)
