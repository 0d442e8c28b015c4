"""Where a workspace's index lies: in its own folder, or on the server that the settings name."""

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from engram.base.machine.install_hints import install_command
from engram.config.sections.recall import IndexSettings
from engram.errors import SettingsError
from engram.ports.index import Embedder
from engram.store.index.documents import DocumentIndex
from engram.store.index.edge_files import index_position
from engram.store.index.edge_files import index_state
from engram.store.index.edge_files import is_stale
from engram.store.index.edge_files import mark_stale
from engram.store.index.edge_files import remove_index
from engram.store.index.state import Recipes

if TYPE_CHECKING:
    from engram.store.index.edge_index import EdgeVectorIndex
    from engram.store.index.qdrant_index import QdrantServer
    from engram.store.index.replacement import Replacement


class IndexPlace:
    """The one index of a workspace. Errors: DegradedIndexError, StoreBusyError, SettingsError, as the adapters say."""

    def __init__(self, settings: IndexSettings, folder: Path, tenant: str) -> None:
        """Take the settings, the folder for an index without a server, and whose points are meant on one.

        Without a tenant the whole collection is this workspace's.
        """
        self._settings = settings
        self._folder = folder
        self._tenant = tenant

    @property
    def is_shared(self) -> bool:
        """Whether several processes may have the index open at once."""
        return bool(self._settings.url)

    @property
    def engine(self) -> str:
        """What searches it."""
        return "qdrant-server" if self.is_shared else "qdrant-edge"

    def open(self, embedder: Embedder | None, recipes: Recipes) -> DocumentIndex:
        """Open the index; in a folder, hold the index lock around it."""
        if self.is_shared:
            return self._server.open(embedder, recipes)
        index: EdgeVectorIndex = _edge_index().EdgeVectorIndex(self._folder, embedder, recipes)
        return index

    def destroy(self) -> None:
        """Remove the index, so that the next opening begins at position 0."""
        if self.is_shared:
            self._server.destroy()
        else:
            remove_index(self._folder)

    def mark_stale(self) -> None:
        """See to it that whoever opens an index in a folder next removes it first; nobody is waited for."""
        if not self.is_shared:
            mark_stale(self._folder)

    def is_stale(self) -> bool:
        """Tell whether an index in a folder has to go before it is opened again."""
        return not self.is_shared and is_stale(self._folder)

    def optimise(self, embedder: Embedder | None, hold: Callable[[], AbstractContextManager[object]]) -> bool:
        """Make an index in a folder compact, if that is worth it; see `store.index.edge_index.optimise`.

        `hold` holds the index lock. A server merges by itself.
        """
        edge_index = _edge_index()

        @contextmanager
        def opened() -> "Iterator[EdgeVectorIndex]":
            with hold(), edge_index.EdgeVectorIndex(self._folder, embedder) as index:
                yield index

        is_done: bool = edge_index.optimise(opened)
        return is_done

    def replacement(self, embedder: Embedder | None, recipes: Recipes) -> "Replacement":
        """Return what makes an index in a folder anew beside the one that is there."""
        from engram.store.index.replacement import Replacement  # noqa: PLC0415 - 36 MB of library, as below

        return Replacement(self._folder, embedder, recipes)

    def position(self) -> int | None:
        """Return the journal position that the index stands for; None when nothing was ever indexed."""
        if not self.is_shared:
            return index_position(self._folder)
        with self.open(None, Recipes()) as index:
            return index.position() or None

    def unembedded(self) -> int:
        """Return how many documents had no vector yet when that was last counted; opens no index in a folder."""
        if not self.is_shared:
            state = index_state(self._folder)
            return state.unembedded if state else 0
        with self.open(None, Recipes()) as index:
            return index.unembedded_before()

    def is_there(self) -> bool:
        """Tell whether anything was ever indexed, without opening an index in a folder."""
        if self.is_shared:
            return self.position() is not None
        return self._folder.is_dir() and any(self._folder.iterdir())

    @cached_property
    def _server(self) -> "QdrantServer":
        try:
            from engram.store.index.qdrant_index import QdrantServer  # noqa: PLC0415 - a second, where there is a server
        except ImportError as problem:
            raise SettingsError(
                "index.url needs the package qdrant-client",
                hint=f"{install_command()}, or engram config index.url ''",
            ) from problem
        return QdrantServer(self._settings, self._tenant)


def _edge_index() -> ModuleType:
    from engram.store.index import edge_index  # noqa: PLC0415 - 36 MB of library that short commands must not load

    return edge_index
