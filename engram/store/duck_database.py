"""The fact database as a DuckDB file.

Invariant: the rows are what folding the journal up to `meta.position` gives. The file is only ever opened by DuckDB
(any other open and close in the same process would drop its lock), and only while an operation runs: a warm process
keeps an empty in-memory instance and attaches the file (2 ms against 26 ms for a connect). The lock that counts is
ours.
"""

import contextlib
import datetime as dt
import hashlib
import json
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.clock import to_iso
from engram.base.faults import fault_point
from engram.base.text import sha256_hex
from engram.errors import DamagedDatabaseError
from engram.model.change import GENESIS
from engram.model.change import Record
from engram.model.command import CommandResult
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.model.observation import Observation
from engram.model.settlement import Settlement
from engram.model.state import State
from engram.model.tension import Tension
from engram.ports.database import FactFilter
from engram.ports.database import FactUses
from engram.ports.database import SliceKeys
from engram.rules.fold import fold_record
from engram.rules.writing import FEW_FACTS
from engram.store import rows
from engram.store.sql_files import queries
from engram.store.sql_files import schema
from engram.store.touched import touched_by

if TYPE_CHECKING:
    import duckdb

FORMAT = sha256_hex(schema())[:16]  # of the tables; another one means: rebuild
KEPT_LINES = 2048  # latest journal lines kept in the database, to mend a damaged journal tail
_KEYS = {
    "commands": "id",
    "activity": '"at"',
    "entities": "path",
    "facts": "id",
    "notes": "id",
    "observations": "id",
    "sessions": "name",
    "settlements": "id",
    "tensions": "id",
    "turns": "id",
    "usages": "fact_id",
    "watermarks": "consumer, key",
}


class DuckFactDatabase:
    """`ports.database.FactDatabase` over one file; usable between `attach` and the end of its block."""

    def __init__(self, path: Path) -> None:
        """Take the file; nothing is opened."""
        self._path = path
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._structures: dict[str, str] = {}

    def exists(self) -> bool:
        """Tell whether there is a file."""
        return self._path.exists()

    def load_engine(self) -> None:
        """Load the engine, which the first `attach` would do."""
        self._connect()

    @classmethod
    @contextlib.contextmanager
    def in_memory(cls) -> Iterator["DuckFactDatabase"]:
        """Give an empty database that is nowhere on disk: for checks and plans."""
        database = cls(Path(":memory:"))
        with database.attach(write=True):
            yield database

    @contextlib.contextmanager
    def attach(self, *, write: bool) -> Iterator["DuckFactDatabase"]:
        """Attach the file for the length of the block; made when absent and `write`.

        Raises DamagedDatabaseError when DuckDB cannot open it, or when its tables are of another format.
        """
        quoted = str(self._path).replace("'", "''")
        with _translated(self._path):
            self._connect().execute(f"ATTACH '{quoted}' AS store{'' if write else ' (READ_ONLY)'}")
        try:
            with _translated(self._path):
                self._connect().execute("USE store")
                self._check_format(write=write)
                yield self
        finally:
            with _translated(self._path):
                self._connect().execute("USE memory")
                self._connect().execute("DETACH store")

    def set_aside(self, stamp: str) -> Path:
        """Rename an unusable file (and its write-ahead log) and return the new name; nothing is deleted."""
        target = self._path.with_name(f"{self._path.name}.damaged-{stamp}")
        wal = self._path.with_name(self._path.name + ".wal")
        if wal.exists():
            wal.replace(target.with_name(target.name + ".wal"))
        self._path.replace(target)
        return target

    def replace(self, other: "DuckFactDatabase") -> None:
        """Take the place of another file, which is removed with its write-ahead log. Neither may be attached."""
        other.destroy()
        self._path.replace(other._path)

    def destroy(self) -> None:
        """Remove the file, which the journal can make again."""
        self._path.unlink(missing_ok=True)
        self._path.with_name(self._path.name + ".wal").unlink(missing_ok=True)

    # -- position

    def position(self) -> int:
        """See the port."""
        return int(self._meta("position", "0"))

    def head_hash(self) -> str:
        """See the port."""
        return self._meta("head_hash", GENESIS)

    # -- writing

    def apply(self, records: Sequence[tuple[Record, bytes]]) -> None:
        """See the port. Folds in memory what the records touch, then writes those rows."""
        position = self.position()
        fresh = [(record, line) for record, line in records if record.position > position]
        if not fresh:
            return
        touched = touched_by(record for record, _ in fresh)
        state = self.load_slice(touched.keys())
        for record, _ in fresh:
            fold_record(state, record)
        self._run("BEGIN TRANSACTION")
        try:
            for table, values in touched.rows(state, [record for record, _ in fresh]).items():
                self._upsert(table, values)
            self._keep_lines(fresh)
            last, line = fresh[-1]
            self._upsert(
                "meta",
                [
                    {"key": "position", "value": str(last.position)},
                    {"key": "head_hash", "value": hashlib.sha256(line).hexdigest()},
                ],
            )
            fault_point("before-commit")
            self._run("COMMIT")
            fault_point("after-commit")
        except BaseException:
            with contextlib.suppress(DamagedDatabaseError):
                self._run("ROLLBACK")
            raise

    # -- reading

    def load_slice(self, keys: SliceKeys) -> State:
        """See the port."""
        state = State()
        for row in self._select(
            "entities_by_name",
            paths=sorted(name.casefold() for name in keys.names),
            names=sorted(" ".join(name.split()).casefold() for name in keys.names),
        ):
            state.put_entity(rows.entity_of(row))
        self._load_named(state, keys.fact_ids)
        self._load_comparable(state, keys)
        self._load_use(state, keys)
        return state

    def list_facts(self, wanted: FactFilter) -> list[Fact]:
        """See the port."""
        since = to_iso(wanted.since).removesuffix("Z") if wanted.since else None
        found = self._select(
            "list_facts",
            entity=wanted.entity,
            category=wanted.category,
            tag=wanted.tag,
            status=wanted.status,
            since=since,
            ids=list(wanted.ids),
            scopes=list(wanted.scopes),
        )
        return [rows.fact_of(row) for row in found]

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
        return self._turn_counts(())

    def watermarks(self, consumer: str) -> dict[str, str]:
        """See the port."""
        return {row["key"]: row["value"] for row in self._select("watermarks", consumer=consumer)}

    def command_result(self, command_id: str) -> CommandResult | None:
        """See the port."""
        for row in self._select("commands_by_id", ids=[command_id]):
            return CommandResult.model_validate_json(row["result"])
        return None

    def entity_counts(self) -> dict[str, tuple[int, int]]:
        """See the port."""
        return {row["entity"]: (row["shown"], row["versions"]) for row in self._select("entity_counts")}

    def counts(self) -> dict[str, int]:
        """See the port."""
        return dict(self._select("table_counts")[0]) | self.fact_counts()

    def fact_counts(self) -> dict[str, int]:
        """See the port."""
        return {row["status"]: row["count_star()"] for row in self._select("fact_counts")}

    def waiting_mark(self) -> str:
        """See the port."""
        return str(self._select("waiting_mark")[0]["mark"])

    def fact_uses(self, zone: dt.tzinfo) -> list[FactUses]:
        """See the port."""
        return [FactUses(**row) for row in self._select("fact_uses", zone=str(zone))]

    def active_days(self, zone: dt.tzinfo) -> list[dt.date]:
        """See the port."""
        return [row["day"] for row in self._select("active_days", zone=str(zone))]

    def digests(self) -> dict[str, str]:
        """See the port."""
        return {table: self._digest(table, order) for table, order in _KEYS.items()}

    def journal_tail(self) -> list[tuple[int, bytes]]:
        """See the port."""
        return [(row["position"], row["line"].encode()) for row in self._select("journal_tail")]

    # -- inside

    def _connect(self) -> "duckdb.DuckDBPyConnection":
        if self._connection is None:
            import duckdb  # noqa: PLC0415 - 100 ms: only processes that touch the database pay for it

            self._connection = duckdb.connect(":memory:")
        return self._connection

    def _run(self, sql: str, parameters: dict[str, Any] | None = None) -> "duckdb.DuckDBPyConnection":
        with _translated(self._path):
            return self._connect().execute(sql, parameters) if parameters else self._connect().execute(sql)

    def _select(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        with _translated(self._path):
            cursor = self._run(queries()[name], parameters)
            columns = [column[0] for column in cursor.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def _meta(self, key: str, default: str) -> str:
        found = self._select("meta_value", key=key)
        return str(found[0]["value"]) if found else default

    def _check_format(self, *, write: bool) -> None:
        with contextlib.suppress(DamagedDatabaseError):  # there is no such table yet
            if self._meta("format", "none") == FORMAT:
                return  # listing all columns would take ten times as long
        tables = {row["table_name"] for row in self._select("column_types")}
        if not tables and write:
            self._run(schema())
            self._upsert("meta", [{"key": "format", "value": FORMAT}])
        found = self._meta("format", "none") if tables or write else "none"
        if found != FORMAT:
            raise DamagedDatabaseError(f"{self._path.name} has tables of format {found}, this version uses {FORMAT}")

    def _upsert(self, table: str, values: Sequence[dict[str, Any]]) -> None:
        if not values:
            return
        if table not in self._structures:
            self._read_structures()
        body = json.dumps(values, ensure_ascii=False)
        source = f"SELECT unnest(from_json($rows::JSON, '{self._structures[table]}'), recursive := true)"
        self._run(f"INSERT OR REPLACE INTO {table} BY NAME {source}", {"rows": body})

    def _read_structures(self) -> None:
        columns: dict[str, dict[str, Any]] = {}
        for row in self._select("column_types"):
            kind = row["data_type"]
            columns.setdefault(row["table_name"], {})[row["column_name"]] = (
                [kind.removesuffix("[]")] if kind.endswith("[]") else kind
            )
        self._structures = {table: json.dumps([fields]) for table, fields in columns.items()}

    def _keep_lines(self, fresh: Sequence[tuple[Record, bytes]]) -> None:
        kept = fresh[-KEPT_LINES:]
        self._upsert("journal_tail", [{"position": record.position, "line": line.decode()} for record, line in kept])
        self._run(queries()["prune_journal_tail"], {"before": fresh[-1][0].position - KEPT_LINES})

    def _load_named(self, state: State, fact_ids: frozenset[str]) -> None:
        for name in ("full", "short"):
            ids = sorted(fact_id for fact_id in fact_ids if ("/" in fact_id) == (name == "full"))
            for row in self._select(f"facts_by_{name}_id", ids=ids) if ids else ():
                state.put_fact(rows.fact_of(row))
        wanted = sorted({fact.entity for fact in state.facts.values()} - set(state.entities))
        for row in self._select("entities_by_name", paths=wanted, names=[]) if wanted else ():
            state.put_entity(rows.entity_of(row))

    def _load_comparable(self, state: State, keys: SliceKeys) -> None:
        wanted = [
            {"entity": path, "fingerprint": fingerprint, "skeleton": skeleton, "attribute": attribute or None}
            for name, fingerprint, skeleton, attribute in keys.statements
            for path in state.find_entities(name)
        ]
        if wanted:
            for row in self._select("facts_to_compare", keys=json.dumps(wanted), few=FEW_FACTS):
                state.put_fact(rows.fact_of(row))

    def _load_use(self, state: State, keys: SliceKeys) -> None:
        if keys.fact_ids:
            short = {fact_id for fact_id in state.facts if fact_id.partition("/")[2] in keys.fact_ids}
            state.usages.update(self.usages(keys.fact_ids | short))
        for row in self._select("open_tensions_of_facts", ids=sorted(state.facts)) if state.facts else ():
            state.tensions[row["id"]] = rows.tension_of(row)
        for row in self._select("tensions_by_id", ids=sorted(keys.tension_ids)) if keys.tension_ids else ():
            state.tensions[row["id"]] = rows.tension_of(row)
        for row in self._select("commands_by_id", ids=sorted(keys.command_ids)) if keys.command_ids else ():
            result = CommandResult.model_validate_json(row["result"])
            state.commands[result.command_id] = result
        for row in self._select("sessions_by_name", names=sorted(keys.sessions)) if keys.sessions else ():
            state.sessions[row["name"]] = rows.session_of(row)
        self._load_texts(state, keys)
        self._load_reviews(state, keys)
        state.tension_count = self._select("tension_count")[0]["count_star()"]

    def _load_reviews(self, state: State, keys: SliceKeys) -> None:
        for row in self._select("observations_by_id", ids=sorted(keys.observation_ids)) if keys.observation_ids else ():
            state.observations[row["id"]] = rows.observation_of(row)
        for fingerprint, words in keys.noticed:
            for row in self._select("observations_like", fingerprint=fingerprint, words=list(words)):
                state.observations[row["id"]] = rows.observation_of(row)
        for row in self._select("settlements_by_id", ids=sorted(keys.settlement_ids)) if keys.settlement_ids else ():
            state.settlements[row["id"]] = rows.settlement_of(row)
        for row in self._select("settlements_of", ids=sorted(keys.settled_of)) if keys.settled_of else ():
            state.settlements[row["id"]] = rows.settlement_of(row)
        said = [(path, key[1]) for key in keys.statements for path in state.find_entities(key[0])]
        sides = sorted({f"{path}\n{fingerprint}" for path, fingerprint in said})
        for row in self._select("tensions_of_pairs", sides=sides) if sides else ():
            state.tensions[row["id"]] = rows.tension_of(row)
        state.observation_count = self._select("observation_count")[0]["count_star()"]
        state.settlement_count = self._select("settlement_count")[0]["count_star()"]

    def _load_texts(self, state: State, keys: SliceKeys) -> None:
        for row in self._select("turns_by_id", ids=list(keys.turn_ids)) if keys.turn_ids else ():
            state.turns[row["id"]] = rows.turn_of(row)
        for row in self._select("notes_by_id", ids=list(keys.note_ids)) if keys.note_ids else ():
            state.notes[row["id"]] = rows.note_of(row)
        if keys.turn_ids:
            state.turn_counts = self._turn_counts(keys.sessions)

    def _turn_counts(self, names: Iterable[str]) -> dict[str, int]:
        return {row["session"]: row["count_star()"] for row in self._select("turn_counts", names=sorted(names))}

    def _digest(self, table: str, order: str) -> str:
        digest = hashlib.sha256()
        with _translated(self._path):
            cursor = self._run(f"SELECT to_json(t)::VARCHAR FROM {table} t ORDER BY {order}")  # noqa: S608 - ours
            while batch := cursor.fetchmany(10_000):
                for (line,) in batch:
                    digest.update(line.encode() + b"\n")
        return digest.hexdigest()


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Let no exception of the engine pass: each becomes ours, with what can be done."""
    import duckdb  # noqa: PLC0415 - heavy

    try:
        yield
    except (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.CatalogException) as problem:
        raise DamagedDatabaseError(f"{path.name}: {str(problem).splitlines()[0]}", path=path.name) from problem
