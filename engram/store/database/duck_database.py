"""The fact database as a DuckDB file.

Invariant: the rows are what folding the journal up to `meta.position` gives.
"""

import contextlib
import datetime as dt
import hashlib
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from engram.base.clock import from_iso
from engram.base.disk.faults import fault_point
from engram.errors import DamagedDatabaseError
from engram.model.changes.record import GENESIS
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
from engram.ports.database import EntityCounts
from engram.ports.database import FactFilter
from engram.ports.database import FactUses
from engram.ports.database import SliceKeys
from engram.rules.fold.fold import fold_record
from engram.rules.temporal import visible
from engram.store.database.conditions import conditions_of
from engram.store.database.conditions import naive
from engram.store.database.duck_slices import load_slice
from engram.store.database.duck_slices import load_touched
from engram.store.database.duck_start import DuckStart
from engram.store.database.sql_files import queries
from engram.store.database.tables import rows
from engram.store.database.touched import Touched
from engram.store.database.touched import touched_by

KEPT_LINES = 2048  # latest journal lines kept in the database, to mend a damaged journal tail
KEPT_BYTES = 1 << 23  # of those lines up to a long one, which is itself kept however long it is
_USUAL_BYTES = 1 << 12  # up to which a line is not long: so many of them are never too much
_LONG = 1 << 18  # characters of lines that are written as columns: as one list the engine takes a hundred times that
_MOST_UNSURE = 20_000  # facts of which only what was believed before tells whether they held


class DuckFactDatabase(DuckStart):
    """`ports.database.FactDatabase` over one file; usable between `attach` and the end of its block."""

    # -- position

    def position(self) -> int:
        """See the port."""
        return int(self._meta("position", "0"))

    def head_hash(self) -> str:
        """See the port."""
        return self._meta("head_hash", GENESIS)

    # -- writing

    def apply(self, records: Sequence[tuple[Record, bytes]], head: int = 0) -> None:
        """See the port. Folds in memory what the records touch, then writes those rows."""
        position = self.position()
        fresh = [(record, line) for record, line in records if record.position > position]
        if not fresh:
            return
        touched = touched_by(record for record, _ in fresh)
        state = load_touched(self._select, touched.keys())
        if self.position() != position:
            return  # made anew meanwhile, of the journal, which holds these records
        for record, _ in fresh:
            fold_record(state, record)
        heal, self._heal = self._heal, None
        try:
            self._fitting(lambda: self._write(fresh, touched, state, head))
        except DamagedDatabaseError as damage:
            if heal is None:
                raise
            heal(damage)
        else:
            self._heal = heal

    def _write(self, fresh: Sequence[tuple[Record, bytes]], touched: Touched, state: State, head: int) -> None:
        self._run("BEGIN TRANSACTION")
        try:
            for table, values in touched.rows(state, [record for record, _ in fresh]).items():
                self._upsert(table, values)
            for table, paths in touched.gone(state).items():
                self._remove(table, paths)
            self._keep_lines(fresh, max(head, fresh[-1][0].position) - KEPT_LINES)
            last, line = fresh[-1]
            place = {"position": str(last.position), "head_hash": hashlib.sha256(line).hexdigest()}
            self._write_meta(place)
            fault_point("before-commit")
            self._run("COMMIT")
            fault_point("after-commit")
        except BaseException:
            with contextlib.suppress(DamagedDatabaseError, OSError):
                self._run("ROLLBACK")
            raise
        self._known |= place

    # -- reading

    def load_slice(self, keys: SliceKeys) -> State:
        """See the port."""
        return load_slice(self._select, keys)

    def list_facts(self, wanted: FactFilter) -> list[Fact]:
        """See the port."""
        return self._made("list_facts", rows.fact_of, **conditions_of(wanted))

    def held_ids(self, as_of: dt.datetime | None, as_known: dt.datetime | None, most: int) -> list[str] | None:
        """See the port."""
        found = self._select("held_ids", as_of=naive(as_of), as_known=naive(as_known), most=most + _MOST_UNSURE)
        unsure = [row["id"] for row in found if row["may_have_held"]]
        changed = (rows.fact_of(row) for row in self._select("facts_by_full_id", ids=unsure)) if unsure else ()
        held = [row["id"] for row in found if not row["may_have_held"]]
        held += [fact.id for fact in changed if visible(fact, as_of=as_of, as_known=as_known)]
        return None if len(held) > most or len(found) == most + _MOST_UNSURE else held

    def learnt_counts(self, since: dt.datetime, scopes: Sequence[str] = ()) -> dict[str, int]:
        """See the port."""
        found = self._select("learnt_counts", since=naive(since), scopes=list(scopes))
        return {row["entity"]: row["facts"] for row in found}

    def learnt_facts(
        self, since: dt.datetime, entities: Sequence[str], each: int, scopes: Sequence[str] = ()
    ) -> list[Fact]:
        """See the port."""
        wanted = {"since": naive(since), "entities": list(entities), "each": each, "scopes": list(scopes)}
        return [rows.fact_of(row) for row in self._select("learnt_facts", **wanted)]

    def find_facts(self, fact_id: str) -> list[Fact]:
        """Return the facts that an id, full or short (`sergey-001`), can mean."""
        name = "facts_by_full_id" if "/" in fact_id else "facts_by_short_id"
        return [rows.fact_of(row) for row in self._select(name, ids=[fact_id])]

    def lineage(self, lineage: str) -> list[Fact]:
        """Return one chain of versions, oldest first."""
        return [rows.fact_of(row) for row in self._select("lineage", lineage=lineage)]

    def usages(self, ids: Iterable[str] | None = None) -> dict[str, Usage]:
        """See the port."""
        found = self._select("all_usages") if ids is None else self._select("usages_by_id", ids=sorted(set(ids)))
        return {row["fact_id"]: rows.usage_of(row) for row in found}

    def list_entities(self, scopes: Sequence[str] = ()) -> list[Entity]:
        """See the port."""
        return [rows.entity_of(row) for row in self._select("list_entities", scopes=list(scopes))]

    def list_redirects(self) -> list[Redirect]:
        """See the port."""
        return [rows.redirect_of(row) for row in self._select("redirects_by_name", names=[])]

    def list_sessions(self) -> list[Session]:
        """See the port."""
        return [rows.session_of(row) for row in self._select("list_sessions")]

    def list_tensions(self, status: str = "open") -> list[Tension]:
        """See the port."""
        return [rows.tension_of(row) for row in self._select("list_tensions", status=status)]

    def list_observations(self, status: str = "open") -> list[Observation]:
        """See the port."""
        return [rows.observation_of(row) for row in self._select("list_observations", status=status)]

    def list_settlements(self) -> list[Settlement]:
        """See the port."""
        return [rows.settlement_of(row) for row in self._select("list_settlements")]

    def list_handoffs(self, status: str = "waiting") -> list[SentHandoff]:
        """See the port."""
        return [rows.handoff_of(row) for row in self._select("list_handoffs", status=status)]

    def list_notes(self) -> list[NoteEntry]:
        """See the port."""
        return [rows.note_of(row) for row in self._select("list_notes")]

    def find_notes(self, paths: Iterable[str] = (), hashes: Iterable[str] = ()) -> list[NoteEntry]:
        """See the port."""
        return [rows.note_of(row) for row in self._select("find_notes", paths=list(paths), hashes=list(hashes))]

    def notes_naming(self, names: Iterable[str], each: int) -> dict[str, str]:
        """See the port."""
        wanted = sorted({name.lower() for name in names if name})
        found = self._select("notes_naming", names=wanted, each=each) if wanted else []
        return {row["id"]: row["text"] for row in found}

    def list_turns(self, session: str | None = None, since: int = 0) -> list[Turn]:
        """See the port."""
        return [rows.turn_of(row) for row in self._select("list_turns", session=session or "", since=since)]

    def known_ids(self, kind: str, ids: Iterable[str]) -> set[str]:
        """See the port."""
        return {row["id"] for row in self._select(f"known_{kind}_ids", ids=list(ids))}

    def turn_counts(self) -> dict[str, int]:
        """See the port."""
        return {row["session"]: row["count_star()"] for row in self._select("turn_counts", names=[])}

    def watermarks(self, consumer: str) -> dict[str, str]:
        """See the port."""
        return {row["key"]: row["value"] for row in self._select("watermarks", consumer=consumer)}

    def command_result(self, command_id: str) -> CommandResult | None:
        """See the port."""
        for row in self._select("commands_by_id", ids=[command_id]):
            return CommandResult.model_validate_json(row["result"])
        return None

    def entity_counts(self, now: dt.datetime | None = None) -> dict[str, EntityCounts]:
        """See the port."""
        return {
            row["entity"]: EntityCounts(row["shown"], row["shared"], row["versions"])
            for row in self._select("entity_counts", now=naive(now))
        }

    def held_counts(self, now: dt.datetime, scopes: Sequence[str] = ()) -> dict[str, int]:
        """See the port."""
        return {row["entity"]: row["facts"] for row in self._select("held_counts", now=naive(now), scopes=list(scopes))}

    def turned_entities(self, since: dt.datetime, until: dt.datetime) -> list[str]:
        """See the port."""
        return [row["entity"] for row in self._select("turned_entities", since=naive(since), until=naive(until))]

    def counts(self, now: dt.datetime | None = None) -> dict[str, int]:
        """See the port."""
        return {row["name"]: row["rows"] for row in self._select("table_counts")} | self.fact_counts(now)

    def fact_counts(self, now: dt.datetime | None = None) -> dict[str, int]:
        """See the port."""
        return {row["standing"]: row["facts"] for row in self._select("fact_counts", now=naive(now))}

    def waiting_mark(self) -> str:
        """See the port."""
        return str(self._select("waiting_mark")[0]["mark"])

    def fact_uses(self, zone: dt.tzinfo, now: dt.datetime) -> list[FactUses]:
        """See the port."""
        return [FactUses(**row) for row in self._select("fact_uses", zone=str(zone), now=naive(now))]

    def active_days(self, zone: dt.tzinfo) -> list[dt.date]:
        """See the port."""
        return [row["day"] for row in self._select("active_days", zone=str(zone))]

    def last_recorded_at(self) -> dt.datetime | None:
        """See the port."""
        found = self._select("last_recorded_at")
        return from_iso(found[0]["at"]) if found else None

    def journal_tail(self) -> list[tuple[int, bytes]]:
        """See the port."""
        return [(row["position"], row["line"].encode()) for row in self._select("journal_tail")]

    # -- inside

    def _remove(self, table: str, paths: Sequence[str]) -> None:
        if paths:
            self._run(queries()[f"remove_{table}"], {"paths": list(paths)})

    def _keep_lines(self, fresh: Sequence[tuple[Record, bytes]], before: int) -> None:
        """Keep the lines behind a position, fewer of them where they are long, and forget those before it."""
        if any(len(line) > _USUAL_BYTES for _, line in fresh):
            before = self._before_long(fresh, before)
        kept: list[dict[str, Any]] = [
            {"position": record.position, "line": line.decode()} for record, line in fresh if record.position > before
        ]
        self._upsert("journal_tail", kept, is_long=sum(len(one["line"]) for one in kept) > _LONG)
        self._run(queries()["prune_journal_tail"], {"before": before})

    def _before_long(self, fresh: Sequence[tuple[Record, bytes]], before: int) -> int:
        """Return the position up to which lines are forgotten, so that none is long together with those before it.

        It is the same whether the lines come one by one or together: a rebuilt database keeps what the old one kept.
        """
        sizes = {row["position"]: row["bytes"] for row in self._select("journal_tail_sizes")}
        sizes |= {record.position: len(line) for record, line in fresh}
        kept = sorted(position for position in sizes if position > before)
        for place, position in enumerate(kept):
            total = sizes[position]
            if total <= _USUAL_BYTES:
                continue
            for earlier in reversed(kept[:place]):
                total += sizes[earlier]
                if total > KEPT_BYTES:
                    before = max(before, earlier)
                    break
        return before
