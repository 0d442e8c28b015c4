"""The one module where ports meet adapters: what a workspace runs on."""

import contextlib
import datetime as dt
import functools
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from engram.base.clock import utc_now
from engram.base.ids import new_id
from engram.base.log import warn
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.config.settings import EmbeddingSettings
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.errors import BadValueError
from engram.errors import DamagedDatabaseError
from engram.errors import DamagedJournalError
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.language.recalled import Recalled
from engram.model.change import Change
from engram.model.command import CommandResult
from engram.model.command import Envelope
from engram.model.command import Outcome
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys
from engram.ports.index import REBUILD
from engram.ports.index import Embedder
from engram.ports.judge import Judge
from engram.services.accesses import CONSUMER as ACCESSES
from engram.services.accesses import GivenOut
from engram.services.accesses import access_row
from engram.services.accesses import count_uses
from engram.services.accesses import marks_watermark
from engram.services.accesses import read_marks
from engram.services.accesses import recalled_lately
from engram.services.keeping_current import Keeper
from engram.services.mirror_report import mirror_warnings
from engram.services.mirroring import refresh
from engram.services.recording import Recorder
from engram.services.recording import plan_command
from engram.services.similar import similar_facts
from engram.store.access_log import AccessLog
from engram.store.duck_database import DuckFactDatabase
from engram.store.edge_index import EdgeVectorIndex
from engram.store.edge_index import optimise
from engram.store.embedding.choosing import choose_embedder
from engram.store.entailment_judge import choose_judge
from engram.store.index.documents import DocumentIndex
from engram.store.index.state import Recipes
from engram.store.index_place import IndexPlace
from engram.store.journal import FileJournal
from engram.store.life_mirror import LifeMirror
from engram.store.locks import FileLock
from engram.store.locks import QueuedLock
from engram.store.spool import Spool

_POLL_S = 0.02  # between two looks for a result that another process may leave
_BATCH = 2000  # records or commands taken in at a time


class Workspace:
    """One workspace, opened for one process. Nothing is held open between calls."""

    def __init__(self, paths: Paths, settings: Settings, now: Callable[[], dt.datetime]) -> None:
        """Join the adapters."""
        self.paths = paths
        self.settings = settings
        self.now = now
        self.spool = Spool(paths.spool)
        self.journal = FileJournal(paths.journal, segment_bytes=settings.store.segment_bytes)
        self.database = DuckFactDatabase(paths.database)
        self.access_log = AccessLog(paths.accesses)

    def lock(self, name: str, owner: str) -> FileLock:
        """Return the lock of that name; `owner` is what others read while we hold it."""
        return FileLock(self.paths.locks / f"{name}.lock", owner)

    # -- writing

    @contextlib.contextmanager
    def writing(self, owner: str, wait_s: float | None = None) -> Iterator[Recorder]:
        """Hold the store for writing: tail mended, database at the journal's head, spool drained.

        Raises StoreBusyError when the lock is not free in time, DamagedJournalError when the journal has lost what the
        database still knows.
        """
        wait = self.settings.store.wait_s if wait_s is None else wait_s
        with self.lock("store", owner).hold(wait_s=wait), self._attached() as database:
            self._catch_up(database)
            recorder = Recorder(
                self.journal,
                database,
                zone=self.settings.zone,
                now=self.now,
                judge=self.judge,
                patterns=self.settings.screen.patterns,
                recalled=self.recalled(),
            )
            self._drain(recorder)
            yield recorder

    def submit(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        wait_s: float | None = None,
        command_id: str | None = None,
    ) -> CommandResult:
        """Spool one command, and return what became of it; `accepted` when it was not applied in time.

        Whoever gets the store lock applies everybody's commands, so this either applies its own or finds the result.
        Raises SettingsError, before anything is spooled, when the judge that the settings name cannot be had.
        """
        choose_judge(self.settings.contradiction)  # a command that could not be decided is not taken
        wait = self.settings.store.wait_s if wait_s is None else wait_s
        envelope = self.envelope(kind, args, actor=actor, command_id=command_id, wants_result=wait > 0)
        self.spool.put(envelope.model_dump(mode="json"))
        return self.settle(kind, envelope.id, time.monotonic() + wait)

    def settle(self, kind: str, command_id: str, deadline: float) -> CommandResult:
        """Apply a spooled command, or find the result that another process left; `accepted` after the deadline."""
        while time.monotonic() < deadline:
            if (left := self.spool.take_result(command_id)) is not None:
                return CommandResult.model_validate_json(left)
            with contextlib.suppress(StoreBusyError):
                return self._apply_own(kind, command_id)
            time.sleep(_POLL_S)
        return CommandResult(command_id=command_id, kind=kind, status=Outcome.ACCEPTED)

    def plan(
        self, kind: str, args: Mapping[str, Any], *, actor: Actor = Actor.USER
    ) -> tuple[CommandResult, list[Change]]:
        """Return what a command would do now; changes nothing at all."""
        envelope = self.envelope(kind, args, actor=actor)
        patterns = self.settings.screen.patterns
        with self.lock("store", "plan").hold(wait_s=self.settings.store.wait_s, shared=True):
            if not self.database.exists():
                with self.in_memory() as database:
                    return plan_command(database, envelope, self.settings.zone, self.judge, patterns)
            with self.database.attach(write=False) as database:
                return plan_command(database, envelope, self.settings.zone, self.judge, patterns)

    def envelope(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        command_id: str | None = None,
        wants_result: bool = False,
    ) -> Envelope:
        """Return a command as it is spooled."""
        return Envelope(
            id=command_id or new_id(),
            kind=kind,
            at=self.now(),
            actor=actor,
            args=dict(args),
            wants_result=wants_result,
        )

    # -- reading

    @contextlib.contextmanager
    def reading(self) -> Iterator[FactDatabase]:
        """Hold the database for reading, with all that was acknowledged applied first when that can be had in time."""
        self._freshen()
        with (
            self.lock("store", "reader").hold(wait_s=self.settings.store.wait_s, shared=True),
            self.database.attach(write=False) as database,
        ):
            yield database

    def command_result(self, command_id: str) -> CommandResult | None:
        """Return what became of a command: its result, `accepted` while it waits, None when unknown."""
        with self.reading() as database:
            found = database.command_result(command_id)
        if found is None and self.spool.find(command_id) is not None:
            return CommandResult(command_id=command_id, kind="", status=Outcome.ACCEPTED)
        return found

    # -- what was given out

    def log_accesses(self, given: Sequence[GivenOut]) -> None:
        """Note what was given out, unless the settings say no; a log that cannot be written is only a warning."""
        if not self.settings.recall.log_accesses or not given:
            return
        keep_words = self.settings.recall.log_questions
        rows = [access_row(one, at=self.now(), keep_words=keep_words) for one in given]
        try:
            self.access_log.append(rows)
        except OSError as problem:
            warn(f"what was given out is not in the access log: {problem.strerror or problem}")

    def fold_accesses(self) -> dict[str, int]:
        """Count in the journal the uses that the access log holds since the last time, each exactly once.

        Returns {"answers", "facts", "files_removed"}: answers read, facts used, and full files that were removed.
        """
        if not self.paths.accesses.is_dir():
            return {"answers": 0, "facts": 0, "files_removed": 0}
        with self.writing("heartbeat") as recorder:
            before = read_marks(recorder.database.watermarks(ACCESSES))
            rows, after = self.access_log.read_after(before)
            uses = count_uses(rows)
            if after != before:
                envelopes = [self.envelope("uses", {"uses": uses}, actor=Actor.AGENT)] if uses else []
                recorder.record_together(envelopes, [marks_watermark(after)])
        return {"answers": len(rows), "facts": len(uses), "files_removed": self.access_log.prune(after)}

    def recalled(self) -> Callable[[str], str | None]:
        """Return what tells as what a text was given out lately, if it was; the log is read when it is first asked."""
        read = functools.cache(self._read_recalled)
        return lambda text: read().find(text)

    def _read_recalled(self) -> Recalled:
        try:
            return recalled_lately(self.access_log.rows(), self.now())
        except OSError as problem:
            warn(f"the access log cannot be read: {problem.strerror or problem}")
            return Recalled({})

    # -- projections besides the database

    @contextlib.contextmanager
    def searching(self, wait_s: float | None = None) -> Iterator[DocumentIndex]:
        """Hold the index open; one process at a time can, in the order of asking, unless it lies on a server.

        On a server only who will write to it keeps the others away. Raises StoreBusyError, DegradedIndexError.
        """
        wait = self.settings.store.wait_s if wait_s is None else wait_s
        with contextlib.ExitStack() as stack:
            if not self.index.is_shared:
                stack.enter_context(self.index_lock("recall").hold(wait_s=wait))
            index = stack.enter_context(self.open_index())
            if self.index.is_shared and (index.position() != self.journal.head()[0] or index.pending()):
                stack.enter_context(self.index_lock("recall").hold(wait_s=wait))
            yield index

    def index_lock(self, owner: str) -> QueuedLock:
        """Return the lock of the index; `owner` is what others read while we hold it."""
        return QueuedLock(self.paths.locks / "index.lock", owner)

    def open_index(self) -> DocumentIndex:
        """Open the index with the model that the settings mean; in a folder, hold the index lock around it."""
        recipes = Recipes(self.settings.embeddings.model_dump(mode="json"), self._former_embedder)
        return self.index.open(self.embedder[0], recipes)

    @functools.cached_property
    def index(self) -> IndexPlace:
        """Where the index lies."""
        return IndexPlace(self.settings.index, self.paths.index)

    @functools.cached_property
    def embedder(self) -> tuple[Embedder | None, str]:
        """The embedding model that is used, or None, and in words which and why. Touches no network."""
        return choose_embedder(self.settings.embeddings, self.paths.embedding_cache)

    @functools.cached_property
    def judge(self) -> Judge | None:
        """The stronger judge of statements that the settings name, or None; its model is loaded when it is asked."""
        return choose_judge(self.settings.contradiction)

    def catch_up_index(self) -> dict[str, Any]:
        """Bring the index to the journal's head, with every vector; return {"position", "behind", "documents"}.

        When another model took over, also "model_changed" with the names and the overlap of answers. An index that is
        damaged, or stands for another journal, is made anew: it holds nothing that the journal does not.
        """
        try:
            return self.complete_index()
        except DegradedIndexError as problem:
            if problem.hint != REBUILD:  # such as a server that does not answer
                raise
            warn(f"{problem.message}; making the index anew from the journal")
            return self.rebuild_index()

    def complete_index(self) -> dict[str, Any]:
        """Do what `catch_up_index` does to an index that is sound; raise DegradedIndexError for another."""
        keeper = Keeper(
            self.journal,
            self.searching,
            self.index_lock("maintenance").is_wanted,
            clock=time.monotonic,
            zone=self.settings.zone,
            patterns=self.settings.screen.patterns,
        )
        return keeper.run().as_json()

    def rebuild_index(self) -> dict[str, Any]:
        """Make the index anew from the journal; returns what `catch_up_index` does."""
        with self.index_lock("rebuild").hold(wait_s=self.settings.store.wait_s):
            self.index.destroy()
        return self.complete_index()

    def maintain_index(self) -> dict[str, Any]:
        """Catch up, then merge what has come into a compact form; takes its time, and others go on asking meanwhile.

        Returns what `catch_up_index` does, and "merged".
        """
        stats = self.catch_up_index()
        if self.index.is_shared:
            return stats  # a server merges by itself
        try:
            with self.lock("index-merge", "maintenance").hold(wait_s=0):
                return {**stats, "merged": optimise(self._searching_folder)}
        except StoreBusyError:  # another maintenance is at it, or recalls keep it from opening: the next one will do it
            return {**stats, "merged": False}

    def near_in_meaning(self, entity: str, text: str) -> list[dict[str, Any]]:
        """Return facts of the entity that the index finds near a statement; reads only, so it sees what is indexed."""
        if not self.database.exists() or not self.index.is_there():
            return []
        with self.reading() as database:
            path = next(iter(database.load_slice(SliceKeys(names=frozenset({entity}))).find_entities(entity)), "")
        try:
            with self.searching() as index:
                return similar_facts(index, path, text) if path else []
        except (DegradedIndexError, StoreBusyError) as problem:
            warn(f"not compared by meaning: {problem.message} ({problem.hint})")
            return []

    @property
    def mirror(self) -> LifeMirror:
        """The files in life/."""
        return LifeMirror(self.paths)

    def refresh_mirror(self, *, thorough: bool = True) -> dict[str, Any]:
        """Take in what people edited in life/, then write what changed; see `services.mirroring.refresh`."""
        with self.writing("mirror") as recorder:
            return self._refresh(recorder, thorough=thorough)

    def refresh_quietly(self, recorder: Recorder) -> None:
        """Write the summaries of what changed, and say what a person should know of it.

        What was recorded is recorded: trouble with the files of life/ is a warning here, and doctor's to mend.
        """
        try:
            sentences = mirror_warnings(self._refresh(recorder, thorough=False))
        except EngramError as problem:
            sentences = [f"life/ was not brought up to date: {problem.message} ({problem.hint})"]
        for sentence in sentences:
            warn(sentence)

    @contextlib.contextmanager
    def in_memory(self) -> Iterator[DuckFactDatabase]:
        """An empty database that is nowhere on disk, brought to the journal's head."""
        with DuckFactDatabase.in_memory() as database:
            self.apply_journal(database)
            yield database

    def apply_journal(self, database: DuckFactDatabase) -> None:
        """Bring a database that is attached for writing to the journal's head."""
        batch = []
        for pair in self.journal.read(after=database.position()):
            batch.append(pair)
            if len(batch) >= _BATCH:
                database.apply(batch)
                batch = []
        database.apply(batch)

    # -- inside

    @contextlib.contextmanager
    def _searching_folder(self) -> Iterator[EdgeVectorIndex]:
        with (
            self.index_lock("maintenance").hold(wait_s=self.settings.store.wait_s),
            EdgeVectorIndex(self.paths.index, self.embedder[0]) as index,
        ):
            yield index

    def _former_embedder(self, recipe: Mapping[str, Any]) -> Embedder | None:
        """Return the model that settings of another time chose, when it is still to be had."""
        try:
            settings = EmbeddingSettings.model_validate(recipe)
            return choose_embedder(settings, self.paths.embedding_cache)[0]
        except (ValidationError, EngramError):
            return None

    def _refresh(self, recorder: Recorder, *, thorough: bool) -> dict[str, Any]:
        return refresh(recorder, self.journal, self.mirror, settings=self.settings, now=self.now(), thorough=thorough)

    def _freshen(self) -> None:
        """Apply what waits; when the store is busy or lacks its judge, what stands there is read as it is."""
        if not self._is_behind():
            return
        try:
            with self.writing("reader"):
                pass
        except (StoreBusyError, SettingsError) as problem:
            if not self.database.exists():
                raise
            why = problem.message if isinstance(problem, SettingsError) else "the store is busy"
            warn(f"{why}: reading what was applied so far")

    def _is_behind(self) -> bool:
        if self.spool.waiting() or not self.database.exists():
            return True
        with self.lock("store", "reader").hold(wait_s=self.settings.store.wait_s, shared=True):
            try:
                with self.database.attach(write=False) as database:
                    return database.position() != self.journal.head()[0]
            except DamagedDatabaseError:
                return True

    @contextlib.contextmanager
    def _attached(self) -> Iterator[DuckFactDatabase]:
        """Attach for writing; a file that DuckDB cannot open is set aside and made anew from the journal."""
        stack = contextlib.ExitStack()
        try:
            database = stack.enter_context(self.database.attach(write=True))
        except DamagedDatabaseError as damage:
            kept = self.database.set_aside(f"{self.now():%Y%m%dT%H%M%S%fZ}")
            warn(f"{damage.message}; kept as {kept.name}, rebuilding the database from the journal")
            database = stack.enter_context(self.database.attach(write=True))
        with stack:
            yield database

    def _catch_up(self, database: DuckFactDatabase) -> None:
        head, head_hash = self.journal.head()
        position = database.position()
        if position > head or (position == head and database.head_hash() != head_hash):
            raise DamagedJournalError(
                f"the journal ends at position {head}, but the database knows position {position}",
                hint="engram doctor --fix puts back the lines that the database keeps",
                journal=head,
                database=position,
            )
        torn = self.journal.cut_torn_tail()
        if torn is not None:
            warn(f"the journal ended in {len(torn.data)} torn bytes, kept as torn-{torn.path.name}-{torn.offset}")
        if position < head:
            self.apply_journal(database)

    def _drain(self, recorder: Recorder) -> None:
        while waiting := self.spool.waiting()[:_BATCH]:
            read = [(path, envelope) for path in waiting if (envelope := self._read_envelope(path)) is not None]
            results = recorder.record([envelope for _, envelope in read])
            for (path, envelope), result in zip(read, results, strict=True):
                if envelope.wants_result:
                    self.spool.leave_result(envelope.id, result.model_dump_json())
                self.spool.remove(path)

    def _read_envelope(self, path: Any) -> Envelope | None:
        try:
            return Envelope.model_validate_json(path.read_bytes())
        except ValidationError as problem:
            kept = self.spool.reject(path, str(problem))
            warn(f"{path.name} in the spool is no command; kept as {self.paths.relative(kept)}")
            return None

    def _apply_own(self, kind: str, command_id: str) -> CommandResult:
        with self.writing(kind, wait_s=0) as recorder:
            left = self.spool.take_result(command_id)
            self.refresh_quietly(recorder)
            if left is not None:
                return CommandResult.model_validate_json(left)
            known = recorder.database.command_result(command_id)
            if known is None:
                raise BadValueError(f"command {command_id} was set aside as unreadable", hint="engram doctor")
            return known


def open_workspace(folder: str | None, *, now: Callable[[], dt.datetime] = utc_now) -> Workspace:
    """Open the workspace that the user means; see `find_workspace` and `load_settings` for what is raised."""
    paths = find_workspace(folder)
    return Workspace(paths, load_settings(paths.settings), now)
