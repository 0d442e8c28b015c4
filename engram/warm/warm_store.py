"""A workspace as a process that lives long uses it: the index stays open between calls, nothing is locked between them.

Reading and writing have a workspace each, so that a writer that waits for the store keeps no reader waiting. The engine
of the database takes one call at a time; under the store's own lock the two never have the file open together.
"""

import contextlib
import datetime as dt
import importlib
import math
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.base.clock import utc_now
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.language.compare.updates.renewal import renewal_keys
from engram.ports.index import Unembedded
from engram.store.embedding.hub_models import cache_folders
from engram.store.index.documents import DocumentIndex
from engram.store.index.warm_index import WarmIndex
from engram.warm.protocol import handshake
from engram.workspace import Workspace
from engram.workspace.index_access import IndexAccess
from engram.workspace.store_access import StoreAccess
from engram.workspace.surroundings import Surroundings

INDEX_IDLE_S = 60.0  # after the last question, from which the index is let go
_EMBEDS_S = 0.25  # of work after an answer, in parts of so many texts
_EMBEDS_AT_ONCE = 8
_QUIET_S = 0.4  # without a call, after which nobody is taken to wait for an answer
_PATIENCE_S = 5.0  # for that
_LOOK_S = 0.1
_STATEMENT = "The limit is now 250"  # reading it compiles the patterns that every answer is read with
MOST_WAIT_S = 60.0  # for our own turn, behind other callers of this process


class WarmIndexAccess(IndexAccess):
    """The index of one store, open until another process asks for it."""

    def __init__(self, around: Surroundings, store: StoreAccess, idle_s: float) -> None:
        """Take the store, and for how long the index stays open when nobody searches it; nothing is opened."""
        super().__init__(around, store)
        self._warm = WarmIndex(self.lock("warm server"), self.open, idle_s=idle_s, is_stale=self._is_stale)

    @contextlib.contextmanager
    def searching(self, wait_s: float | None = None) -> Iterator[DocumentIndex]:
        """Hold the index as `IndexAccess.searching` does, without opening it anew for each question."""
        if self.place.is_shared:  # a server keeps its own index warm
            with super().searching(wait_s) as index:
                yield index
            return
        with self._warm.use(wait_s=self._around.settings.store.wait_s if wait_s is None else wait_s) as index:
            yield index

    def is_warm(self) -> bool:
        """Tell whether the index is held open now."""
        return self._warm.is_open()

    def close(self) -> None:
        """Let go of the index."""
        self._warm.close()

    def _is_stale(self) -> bool:
        return self.place.is_stale()


class WarmWorkspace(Workspace):
    """A workspace that keeps its index open until another process asks for it."""

    index: WarmIndexAccess

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        now: Callable[[], dt.datetime],
        *,
        index_idle_s: float | None = INDEX_IDLE_S,
    ) -> None:
        """Join the adapters; nothing is opened. Without `index_idle_s` the index stays open until somebody waits."""
        super().__init__(paths, settings, now)
        idle_s = math.inf if index_idle_s is None else index_idle_s
        self.index = WarmIndexAccess(self, self.store, idle_s)

    def close(self) -> None:
        """Let go of the index."""
        self.index.close()


@contextlib.contextmanager
def keep_warm(workspace: Workspace) -> Iterator[WarmWorkspace]:
    """Give a workspace for a block of many questions: its index stays open between them until somebody waits for it."""
    warm = WarmWorkspace(workspace.paths, workspace.settings, workspace.now, index_idle_s=None)
    warm.progress = workspace.progress
    try:
        yield warm
    finally:
        warm.close()


class WarmStore:
    """Workspaces for the calls of one process, made anew when the settings change. Safe for threads."""

    def __init__(
        self, root: Path, *, now: Callable[[], dt.datetime] = utc_now, index_idle_s: float | None = INDEX_IDLE_S
    ) -> None:
        """Open the workspace, see `WarmWorkspace`; raises SettingsError."""
        self._paths = Paths(root.resolve())
        self._now = now
        self._index_idle_s = index_idle_s
        self._read_turn = threading.Lock()
        self._write_turn = threading.Lock()
        self._made = threading.Lock()
        self._read_at = 0.0  # when the last call ended
        self._embeds = threading.Lock()  # one thread at a time makes vectors
        self._closed = threading.Event()
        self._stamp: Any = None
        self._reader: WarmWorkspace
        self._writer: WarmWorkspace
        self._renew()

    @property
    def paths(self) -> Paths:
        """Where everything lies."""
        return self._paths

    @contextlib.contextmanager
    def reading(self) -> Iterator[WarmWorkspace]:
        """Give the workspace for one call that reads. Raises SettingsError, and StoreBusyError after a minute."""
        with _turn(self._read_turn):
            self._renew()
            try:
                yield self._reader
            finally:
                self._read_at = time.monotonic()

    @contextlib.contextmanager
    def writing(self) -> Iterator[WarmWorkspace]:
        """Give the workspace for one call that writes; it holds no index open. Raises what `reading` does."""
        with _turn(self._write_turn):
            self._renew()
            writer = self._writer  # a reader may put another one in its place meanwhile
            try:
                yield writer
            finally:
                writer.close()

    def is_warm(self) -> bool:
        """Tell whether the index is held open now."""
        return self._reader.index.is_warm()

    def warm_up(self) -> None:
        """Open the index and load what the first question needs, which then waits only for that; others read meanwhile.

        An index that was never made is left to the question, and so is what goes wrong.
        """
        with self._made:
            reader = self._reader
        with contextlib.suppress(EngramError, OSError):
            if reader.index.place.position() is None:
                return
            with reader.index.searching(wait_s=0):
                renewal_keys(_STATEMENT)
            importlib.import_module("networkx")  # of the first question that names somebody
            if reader.index.embedder[0] is not None:
                reader.index.embedder[0].embed_query(_STATEMENT)

    def embed_later(self) -> None:
        """Embed for a moment what has no vector yet, the newest first, once nobody has asked for a moment.

        Others ask meanwhile, and what goes wrong is left to the next question, which says it.
        """
        if self._embeds.acquire(blocking=False):
            threading.Thread(target=self._embed_when_quiet, daemon=True, name="embed-later").start()

    def _embed_when_quiet(self) -> None:
        try:
            latest = time.monotonic() + _PATIENCE_S  # somebody who asks all the time gets vectors, too
            while time.monotonic() < latest and not self._is_quiet():
                if self._closed.wait(_LOOK_S):
                    return
            self._embed_newest()
        finally:
            self._embeds.release()

    def _is_quiet(self) -> bool:
        return not self._read_turn.locked() and time.monotonic() - self._read_at >= _QUIET_S

    def _embed_newest(self) -> None:
        with self._made:
            reader = self._reader
        embedder = reader.index.embedder[0]
        if embedder is None or not reader.index.is_warm():
            return
        until = time.monotonic() + _EMBEDS_S
        with contextlib.suppress(EngramError, OSError):
            made: dict[Unembedded, list[float]] = {}
            while not self._closed.is_set():
                with reader.index.searching(wait_s=0) as index:
                    index.give_vectors(made)
                    lot = index.unembedded(_EMBEDS_AT_ONCE) if time.monotonic() < until else []
                    if made and not lot:
                        index.note_unembedded()
                if not lot:
                    return
                # The index is not held for it: loading what reads many texts takes a second.
                made = dict(zip(lot, embedder.embed_passages([one.text for one in lot]), strict=True))

    def handshake(self) -> dict[str, Any]:
        """Return what a client's handshake has to be equal to; raises OSError."""
        return handshake(self._paths)

    def close(self) -> None:
        """Let go of everything, after the calls that run."""
        self._closed.set()
        with self._embeds, self._read_turn, self._write_turn:
            self._reader.close()
            self._writer.close()

    def _renew(self) -> None:
        """Open the workspace again when its settings, or the models that can be had, are others than before."""
        with self._made:
            stamp = (_stat(self._paths.settings), *(_stat(folder) for folder in cache_folders()))
            if stamp == self._stamp:
                return
            settings = load_settings(self._paths.settings)
            old = self._reader if self._stamp else None
            self._reader = WarmWorkspace(self._paths, settings, self._now, index_idle_s=self._index_idle_s)
            self._reader.index.embed_later = self.embed_later
            self._writer = WarmWorkspace(self._paths, settings, self._now)
            self._stamp = stamp
        if old is not None:
            old.close()


@contextlib.contextmanager
def _turn(lock: threading.Lock) -> Iterator[None]:
    if not lock.acquire(timeout=MOST_WAIT_S):
        raise StoreBusyError("other callers of this process keep the store busy", hint="ask again in a while")
    try:
        yield
    finally:
        lock.release()


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
