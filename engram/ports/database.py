"""The fact database: the projection that questions are asked of."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple
from typing import Protocol

from engram.model.changes.record import Record
from engram.model.changes.settlement import Settlement
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.entity import Redirect
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.model.observation import Observation
from engram.model.sent_handoff import SentHandoff
from engram.model.tension import Tension
from engram.ports.columns import FactColumns
from engram.ports.overview import Overviews
from engram.ports.progress import Progress
from engram.ports.start import StartFacts


class FactFilter(NamedTuple):
    """Which facts a listing wants; an empty field does not filter."""

    entity: str = ""  # exact path
    category: str = ""
    tag: str = ""
    status: str = "active"  # active, superseded, retracted, pending, candidate, quarantined, all
    since: dt.datetime | None = None  # recorded at or after
    ids: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()  # empty: every scope
    entities: tuple[str, ...] = ()  # exact paths, of which it is one
    naming: tuple[str, ...] = ()  # exact paths of entities, one of which it names
    values: tuple[str, ...] = ()  # of attributes, in small letters, one of which it has
    path: str = ""  # of files that it was read from: how it begins
    made_of: tuple[str, ...] = ()  # ids of facts and observations, from one of which it was derived
    saying: tuple[str, ...] = ()  # phrases in small letters, one of which stands in its text
    marked: tuple[str, ...] = ()  # words, one of which is its category or one of its tags
    newest: int = 0  # of those that pass all else the so many that were recorded last; 0: all


class FactUses(NamedTuple):
    """Active facts that are alike in all on which a tier depends."""

    used_on: dt.date  # last recorded, accessed or confirmed
    confidence: float
    access_count: int
    facts: int  # how many


class EntityCounts(NamedTuple):
    """How many facts of an entity there are."""

    shown: int  # active ones that everybody may see
    shared: int  # versions that are private to nobody
    versions: int  # all of them


NO_FACTS: Final = EntityCounts(0, 0, 0)


class SliceKeys(NamedTuple):
    """What a decision needs to see: names of entities, fact ids, command ids, and statements to compare with."""

    names: frozenset[str] = frozenset()  # entity paths, titles, aliases
    fact_ids: frozenset[str] = frozenset()
    command_ids: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()  # every version of what is private to them
    statements: tuple[tuple[str, str, str, str], ...] = ()  # (entity name, fingerprint, skeleton, attribute)
    renewals: frozenset[tuple[str, str]] = frozenset()  # (scope, key) of statements that may bring others up to date
    made_of: frozenset[str] = frozenset()  # ids of facts: also what was made of them
    with_plans: bool = False  # also what is to end where one of the facts begins
    histories: frozenset[tuple[str, str]] = frozenset()  # (entity name, attribute): also what held in that slot before
    said_in: frozenset[str] = frozenset()  # sessions of which a correction may take back what was said
    mentions: frozenset[tuple[str, tuple[str, ...]]] = (
        frozenset()
    )  # (scope, phrases) of corrections of what is elsewhere
    turn_ids: frozenset[str] = frozenset()
    note_ids: frozenset[str] = frozenset()
    tension_ids: frozenset[str] = frozenset()
    observation_ids: frozenset[str] = frozenset()
    settlement_ids: frozenset[str] = frozenset()
    handoff_ids: frozenset[str] = frozenset()  # of sent ones
    noticed: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (fingerprint, words) of what may have been noticed before
    settled_of: frozenset[str] = frozenset()  # ids of what was settled in a review: its decisions; "*": the latest one
    whole: frozenset[str] = frozenset()  # names of entities: all that is said of them, and all that names them
    everybody: bool = False  # every entity, to tell whether a name is taken
    undoable_ids: frozenset[str] = frozenset()  # ids of commands that may have left something to take back
    undoable_kinds: frozenset[str] = frozenset()  # kinds of such commands: those that stand
    undoable_latest: frozenset[str] = frozenset()  # actors: the latest that stands, and is no undo itself


class FactDatabase(Overviews, StartFacts, FactColumns, Protocol):
    """One projection of the journal, attached only while it is used.

    Atomicity: `apply` writes the rows of all its records and the position in one transaction. Idempotence: records at
    or below the position are skipped. Errors: DamagedDatabaseError when the file cannot be read.
    """

    def position(self) -> int:
        """Return the journal position that the rows stand for."""
        ...

    def head_hash(self) -> str:
        """Return the hash of the record at that position."""
        ...

    def apply(self, records: Sequence[tuple[Record, bytes]], head: int = 0) -> None:
        """Bring the rows forward by these records, in one transaction.

        `head` is the position up to which more records are known to follow: of a long replay only the last lines are
        kept.
        """
        ...

    def is_derived(self) -> bool:
        """Tell whether this version of Engram made what is kept of the words of facts: when they end, what renews them.

        Another one may have read other things in the same words.
        """
        ...

    def derive(self, progress: Progress) -> int:
        """Make that anew where another version made it, in one transaction; return in how many facts it differed."""
        ...

    def load_slice(self, keys: SliceKeys) -> State:
        """Return the part of the state that the keys name."""
        ...

    def list_facts(self, wanted: FactFilter) -> list[Fact]:
        """Return matching facts, by entity and number."""
        ...

    def iter_facts(self, wanted: FactFilter) -> Iterator[Fact]:
        """Yield what `list_facts` returns; only some thousand are held at once, or those of one entity."""
        ...

    def facts_to_judge(self) -> list[Fact]:
        """Return the facts of which `rules.invariants.broken` can tell something, with those that it reads for it.

        Of a sound store these are few: what was made of other facts, and what a tension or an observation names.
        """
        ...

    def held_ids(self, as_of: dt.datetime | None, as_known: dt.datetime | None, most: int) -> list[str] | None:
        """Return the ids of the facts that `rules.temporal.visible` lets through; None when there are more than `most`.

        One moment at least has to be given: what holds now is the active facts.
        """
        ...

    def learnt_counts(self, since: dt.datetime, scopes: Sequence[str] = ()) -> dict[str, int]:
        """Return, by entity, how many of its active facts were recorded since an instant, without quarantined ones."""
        ...

    def learnt_facts(
        self, since: dt.datetime, entities: Sequence[str], each: int, scopes: Sequence[str] = ()
    ) -> list[Fact]:
        """Return the newest `each` facts of every one of these entities that `learnt_counts` counts, newest first."""
        ...

    def find_facts(self, fact_id: str) -> list[Fact]:
        """Return the facts that an id, full or short (`sergey-001`), can mean."""
        ...

    def lineage(self, lineage: str) -> list[Fact]:
        """Return one chain of versions, oldest first."""
        ...

    def usages(self, ids: Iterable[str] | None = None) -> dict[str, Usage]:
        """Return the overlay of these facts (of all when None); facts never used are absent."""
        ...

    def list_entities(self, scopes: Sequence[str] = ()) -> list[Entity]:
        """Return entities by path: every one, or those with a fact of one of these scopes that is not quarantined."""
        ...

    def list_redirects(self) -> list[Redirect]:
        """Return every path that an entity has left, by path."""
        ...

    def list_sessions(self) -> list[Session]:
        """Return every session by name."""
        ...

    def list_tensions(self, status: str = "open") -> list[Tension]:
        """Return tensions by id; status open, resolved or all."""
        ...

    def list_observations(self, status: str = "open") -> list[Observation]:
        """Return observations by id; status open, promoted, dismissed, merged or all."""
        ...

    def list_settlements(self) -> list[Settlement]:
        """Return every decision of a review by id, those that were undone included."""
        ...

    def list_handoffs(self, status: str = "waiting") -> list[SentHandoff]:
        """Return sent handoffs, oldest first; status waiting, accepted, rejected, withdrawn or all."""
        ...

    def list_notes(self) -> list[NoteEntry]:
        """Return every note entry that was read, by path and place."""
        ...

    def find_notes(self, paths: Iterable[str] = (), hashes: Iterable[str] = ()) -> list[NoteEntry]:
        """Return the note entries of these notes and those whose bytes have one of these SHA-256, by path and place."""
        ...

    def notes_naming(self, names: Iterable[str], each: int) -> dict[str, str]:
        """Return id -> text of entries that hold one of these strings in any case, the newest `each` of every one."""
        ...

    def list_turns(self, session: str | None = None, since: int = 0) -> list[Turn]:
        """Return turns by session and ordinal, from that ordinal on."""
        ...

    def quarantined_turns(self) -> list[tuple[str, int]]:
        """Return session and ordinal of the turns that are quarantined, in that order."""
        ...

    def known_ids(self, kind: str, ids: Iterable[str]) -> set[str]:
        """Return which of these ids are stored, of what the kind says: "note", "turn" or "command"."""
        ...

    def turn_counts(self) -> dict[str, int]:
        """Return how many turns each session holds."""
        ...

    def watermarks(self, consumer: str) -> dict[str, str]:
        """Return key -> value of one consumer's watermarks."""
        ...

    def command_result(self, command_id: str) -> CommandResult | None:
        """Return what became of a command, or None."""
        ...

    def entity_counts(self, now: dt.datetime | None = None) -> dict[str, EntityCounts]:
        """Return, by entity with facts, how many there are; those are shown that hold now, without a moment any."""
        ...

    def held_counts(self, now: dt.datetime, scopes: Sequence[str] = ()) -> dict[str, int]:
        """Return, by entity with some, how many facts hold at a moment; of these scopes, without any of all."""
        ...

    def turned_entities(self, since: dt.datetime, until: dt.datetime) -> list[str]:
        """Return the paths of entities of which a shared active fact begins or ends after `since` and up to `until`."""
        ...

    def counts(self, now: dt.datetime | None = None) -> dict[str, int]:
        """Return row counts by table, and what `fact_counts` returns."""
        ...

    def fact_counts(self, now: dt.datetime | None = None) -> dict[str, int]:
        """Return the number of facts by how they stand now (see `rules.temporal.standing`), of those that there are.

        Without a moment, by status.
        """
        ...

    def waiting_mark(self) -> str:
        """Return a digest of the open tensions and observations: equal while none came, went or was seen again."""
        ...

    def fact_uses(self, zone: dt.tzinfo, now: dt.datetime) -> list[FactUses]:
        """Return how many of the facts that hold now were last used when, by days of that zone."""
        ...

    def active_days(self, zone: dt.tzinfo) -> list[dt.date]:
        """Return the days of that zone on which the memory was used, in order: the activity clock."""
        ...

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each table's rows in key order."""
        ...

    def last_recorded_at(self) -> dt.datetime | None:
        """Return when the last record was decided by its own clock; None when there is none."""
        ...

    def journal_tail(self) -> list[tuple[int, bytes]]:
        """Return (position, line) of the latest journal lines, kept so that a damaged tail can be mended."""
        ...

    def last_kept_position(self) -> int:
        """Return the highest position of `journal_tail`; 0 when no line is kept."""
        ...
