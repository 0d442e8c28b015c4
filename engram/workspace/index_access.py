"""The index of a workspace: opened for a question, brought up to date, made compact.

As in `store_access`, what a single question does not need is imported by those who do.
"""

import contextlib
import functools
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from pydantic import ValidationError

from engram.base.log import warn
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.ports.index import REBUILD
from engram.ports.index import Embedder
from engram.ports.index import PassageVectors
from engram.ports.index import VectorIndex
from engram.services.index.full_catch_up import Allowance
from engram.services.index.full_catch_up import Keeper
from engram.services.index.note_freshness import Notes
from engram.services.index.note_list import NotePlaces
from engram.services.index.note_list import Recipe
from engram.services.recall.nearest_facts import similar_facts
from engram.services.recall.prefetch import PrefetchingEmbedder
from engram.services.visibility import find_visible_entities
from engram.services.visibility import identify
from engram.services.visibility import scope_in
from engram.services.visibility import visible_scopes
from engram.store.index.documents import DocumentIndex
from engram.store.index.index_place import IndexPlace
from engram.store.index.state import Recipes
from engram.store.locks import QueuedLock
from engram.store.onnx_runtime import usable_cores
from engram.workspace.index_rebuild import IndexRebuild
from engram.workspace.index_rebuild import lacks_most
from engram.workspace.store_access import StoreAccess
from engram.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from engram.store.embedding.embedder import ModelEmbedder

_LETS_GO_S = 0.2  # in which a process that only keeps the index warm lets go of it


class IndexAccess:
    """The index of one store, opened for one process; nothing is held open between calls."""

    def __init__(self, around: Surroundings, store: StoreAccess) -> None:
        """Take the workspace, and the store that the index is made of; nothing is opened."""
        self._around = around
        self._store = store
        self.embed_later: Callable[[], None] | None = None
        """Sees to it that vectors are made once nobody waits for an answer; None where this process ends before."""

    @contextlib.contextmanager
    def searching(self, wait_s: float | None = None) -> Iterator[DocumentIndex]:
        """Hold the index open; one process at a time can, in the order of asking, unless it lies on a server.

        On a server only who will write to it keeps the others away. Raises StoreBusyError, DegradedIndexError.
        """
        wait = self._around.settings.store.wait_s if wait_s is None else wait_s
        with contextlib.ExitStack() as stack:
            if not self.place.is_shared:
                stack.enter_context(self.lock("recall").hold(wait_s=wait))
            index = stack.enter_context(self.open())
            if self.place.is_shared and not self._is_current(index):
                stack.enter_context(self.lock("recall").hold(wait_s=wait))
            yield index

    def lock(self, owner: str) -> QueuedLock:
        """Return the lock of the index; `owner` is what others read while we hold it."""
        self._store.projection.follow_projections()
        return self._around.locks.named("index", owner)

    def open(self) -> DocumentIndex:
        """Open the index with the model that the settings mean; in a folder, hold the index lock around it."""
        return self.place.open(self.embedder[0], self._recipes())

    @functools.cached_property
    def place(self) -> IndexPlace:
        """Where the index lies."""
        return IndexPlace(
            self._around.settings.index, self._around.paths.index, self._around.settings.journal.workspace
        )

    @functools.cached_property
    def notes(self) -> Notes:
        """The notes as the index takes them in: from their files."""
        return self._notes_listed_in(self._around.paths.indexed_notes)

    def _notes_listed_in(self, list_file: Path) -> Notes:
        paths, settings = self._around.paths, self._around.settings
        return Notes(
            NotePlaces(paths.root, paths.relative(paths.memory), list_file),
            Recipe(settings.agent, settings.zone, settings.screen.patterns),
            self._sessions_apart,
            clock=time.monotonic,
            now_ns=time.time_ns,
        )

    @functools.cached_property
    def embedder(self) -> tuple[PrefetchingEmbedder | None, str]:
        """The embedding model that is used, or None, and in words which and why. Touches no network."""
        embedder, why = self._chosen(self._around.settings.embeddings)
        return (None if embedder is None else PrefetchingEmbedder(embedder)), why

    @functools.cached_property
    def passage_vectors(self) -> PassageVectors | None:
        """The same model, on all cores of the machine, for many texts that nobody waits for; None without a model.

        What it makes goes through the cache that the index reads, so that no text is embedded twice.
        """
        return self._chosen(self._around.settings.embeddings, threads=usable_cores())[0]

    def prefetch(self, question: str) -> None:
        """Load what a question needs, and embed it, before the index is held for it."""
        self._store.projection.database.load_engine()
        if self.embedder[0] is not None:
            self.embedder[0].prefetch(question)

    def catch_up(self, allowance: Allowance | None = None) -> dict[str, Any]:
        """Bring the index to the journal's head; return {"position", "behind", "documents"}.

        Vectors are made for as long as the allowance lasts, without one all of them; "unembedded" says how many
        documents have none yet, when some have not. When another model took over, also "model_changed" with the names
        and the overlap of answers. An index that is damaged, or stands for another journal, is made anew: it holds
        nothing that the journal does not.
        """
        try:
            return self.complete(allowance)
        except DegradedIndexError as problem:
            if problem.hint != REBUILD:  # such as a server that does not answer
                raise
            warn(f"{problem.message}; making the index anew from the journal")
            return self.rebuild(allowance)

    def complete(self, allowance: Allowance | None = None) -> dict[str, Any]:
        """Do what `catch_up` does to an index that is sound; raise DegradedIndexError for another."""
        return self._keeper(self.passage_vectors).run(allowance, self._around.progress).as_json()

    def take_in_words(self, is_over: Callable[[], bool]) -> None:
        """Bring the words of an index that is sound up to date, without vectors, until that is done or `is_over`.

        Raises what `complete` does.
        """
        self._keeper(None, is_over).take_in_words(is_over)

    def rebuild(self, allowance: Allowance | None = None) -> dict[str, Any]:
        """Make the index anew from the journal, in its compact form; returns what `maintain` does.

        In a folder the former one is asked until the new one stands.
        """
        is_compact, is_removed = False, self.place.is_shared
        try:
            is_compact = not is_removed and self._replaced(allowance)
        except StoreBusyError:  # another process merges it
            is_removed = True
        if is_removed:
            self.remove("rebuild")
        stats = self._merged(self.complete(allowance))
        return {**stats, "merged": True} if is_compact else stats

    def remove(self, owner: str) -> None:
        """Remove the index while nobody has it open; the next one begins at position 0.

        Raises StoreBusyError where somebody keeps it open for too long, DegradedIndexError for a server that is away.
        """
        with self.lock(owner).hold(wait_s=self._around.settings.store.wait_s):
            self.place.destroy()

    def remove_soon(self, owner: str) -> None:
        """Remove the index now if nobody has it open, else before it is opened next.

        For who holds the store: whoever has the index open may be waiting for that. Raises DegradedIndexError for a
        server that is away.
        """
        self.place.mark_stale()
        with contextlib.suppress(StoreBusyError), contextlib.ExitStack() as stack:
            if not self.place.is_shared:
                stack.enter_context(self.lock(owner).hold(wait_s=_LETS_GO_S))
            self.place.destroy()

    def maintain(self, allowance: Allowance | None = None) -> dict[str, Any]:
        """Catch up, then merge what has come into a compact form; takes its time, and others go on asking meanwhile.

        Returns what `catch_up` does, and "merged".
        """
        if lacks_most(self.place, self._store.journal):
            return self.rebuild(allowance)
        return self._merged(self.catch_up(allowance))

    def unembedded(self) -> int:
        """Return how many documents had no vector yet when that was last counted; 0 where that cannot be told."""
        try:
            return self.place.unembedded()
        except (DegradedIndexError, StoreBusyError):
            return 0

    def near_in_meaning(self, entity: str, text: str, session: str | None = None) -> list[dict[str, Any]]:
        """Return facts of the entity that the index finds near a statement; reads only, so it sees what is indexed.

        What is said in a session is compared with what may be seen there.
        """
        if not self._store.projection.database.exists() or not self.place.is_there():
            return []
        with self._store.reading() as database:
            caller = identify(database, self._around.settings.agent, session)
            path = next(iter(find_visible_entities(database, caller, entity)), "")
        try:
            with self.searching() as index:
                return similar_facts(index, path, text, visible_scopes(caller) if session else ()) if path else []
        except (DegradedIndexError, StoreBusyError) as problem:
            warn(f"not compared by meaning: {problem.message} ({problem.hint})")
            return []

    def let_go(self) -> None:
        """Forget where the index lay, and what was chosen with it: they are looked for again when they are needed."""
        for name in ("place", "notes", "embedder", "passage_vectors"):
            self.__dict__.pop(name, None)

    # -- inside

    def _replaced(self, allowance: Allowance | None) -> bool:
        """Make an index in a folder anew beside the one that is there, which goes; return whether it was merged."""
        rebuild = IndexRebuild(self._around, self._store.journal, self.place, self.lock, self.open)
        with self._around.locks.named("index-merge", "rebuild").hold(wait_s=self._around.settings.store.wait_s):
            rebuild.require_one()
            with self.place.replacement(self.embedder[0], self._recipes()) as made:
                vectors = self.passage_vectors if allowance is None else None  # else they come later, the newest first
                return rebuild.run(made, vectors, self._notes_listed_in(made.notes_list))

    def _recipes(self) -> Recipes:
        return Recipes(self._around.settings.embeddings.model_dump(mode="json"), self._former_embedder)

    def _keeper(self, vectors: PassageVectors | None, is_over: Callable[[], bool] = lambda: False) -> Keeper:
        return Keeper(
            self._store.journal,
            self.searching,
            self.lock("maintenance").is_wanted,
            vectors=vectors,
            clock=time.monotonic,
            zone=self._around.settings.zone,
            notes=self._notes_taker(is_over),
        )

    def _notes_taker(self, is_over: Callable[[], bool]) -> Callable[[VectorIndex], int]:
        """Return what brings an index to what the notes say, until somebody waits; thoroughly until all are there."""
        left = 1
        is_wanted = self.lock("maintenance").is_wanted

        def take(index: VectorIndex) -> int:
            nonlocal left
            left = self.notes.catch_up(index, None, thorough=left > 0, is_wanted=lambda: is_over() or is_wanted())
            return left

        return take

    def _is_current(self, index: DocumentIndex) -> bool:
        stands = index.position() == self._store.journal.head()[0] and not index.pending()
        return stands and self.notes.is_current(index.notes_mark())

    def _sessions_apart(self) -> dict[str, str]:
        """Return name -> scope of the sessions that are kept apart."""
        with self._store.reading() as database:
            sessions = database.list_sessions()
        return {one.name: scope_in(one) for one in sessions if one.kind is not None}

    def _merged(self, stats: dict[str, Any]) -> dict[str, Any]:
        """Make the index compact if that is worth it; return the figures with "merged", unless it lies on a server."""
        if self.place.is_shared:
            return stats  # a server merges by itself
        held = functools.partial(self.lock("maintenance").hold, wait_s=self._around.settings.store.wait_s)
        try:
            self._around.progress("making the index compact")
            with self._around.locks.named("index-merge", "maintenance").hold(wait_s=0):
                return {**stats, "merged": self.place.optimise(self.embedder[0], held)}
        except StoreBusyError:  # another maintenance is at it, or recalls keep it from opening: the next one will do it
            return {**stats, "merged": False}

    def _former_embedder(self, recipe: Mapping[str, Any]) -> Embedder | None:
        """Return the model that settings of another time chose, when it is still to be had."""
        try:
            return self._chosen(EmbeddingSettings.model_validate(recipe))[0]
        except (ValidationError, EngramError):
            return None

    def _chosen(self, settings: EmbeddingSettings, *, threads: int = 1) -> "tuple[ModelEmbedder | None, str]":
        from engram.store.embedding.choice import choose_embedder  # noqa: PLC0415 - 9 ms; benchmarks put another there

        return choose_embedder(settings, self._around.paths.embedding_cache, threads=threads)
