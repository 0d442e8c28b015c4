"""An index that is made anew in a folder of its own within the index's, and in the end takes the place of that one.

Invariant: the folder is called like a shard, and nothing names it. So what a crash leaves of it goes with the next
merging, and what is forgotten meanwhile goes with the index.
"""

import shutil
from pathlib import Path
from types import TracebackType
from typing import Final
from typing import Self

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.ids import new_id
from engram.ports.index import Embedder
from engram.store.index.edge_index import EdgeVectorIndex
from engram.store.index.merge import SEGMENT_DOCUMENTS
from engram.store.index.state import Recipes

_NOTES = "indexed-notes.json"


class Replacement:
    """The index that is being made; its folder is gone when the block is left."""

    portion: Final = SEGMENT_DOCUMENTS  # documents that are taken in before they are merged

    def __init__(self, folder: Path, embedder: Embedder | None, recipes: Recipes) -> None:
        """Take the folder of the index that is to be replaced, which is there; nothing is made yet."""
        self._folder = folder
        self._place = folder / f"shard-{new_id()}"
        self._embedder = embedder
        self._recipes = recipes

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was made and did not take the place."""
        shutil.rmtree(self._place, ignore_errors=True)

    @property
    def notes_list(self) -> Path:
        """The list of the notes that it holds."""
        return self._place / _NOTES

    def open(self) -> EdgeVectorIndex:
        """Open it; nobody else does, so no lock is held."""
        return EdgeVectorIndex(self._place, self._embedder, self._recipes)

    def merge(self) -> bool:
        """Merge what has come since the last time; return whether it was enough to be worth it."""
        with self.open() as index:
            return index.merge_in_place()

    def take_over(self, notes_list: Path) -> None:
        """Take the place of the index that is there, and of the list of its notes; the caller holds the lock of it.

        Raises DegradedIndexError, and leaves what is there, where this one was removed meanwhile.
        """
        listed = read_own(self.notes_list) if self.notes_list.exists() else None
        with EdgeVectorIndex(self._folder, self._embedder, self._recipes) as former:
            former.give_way(self._place)
        if listed is not None:  # else the index has no mark either; a list that a crash keeps back is asked for anew
            write_atomically(notes_list, listed, mode=0o600)
