"""What must be true after a random sequence of commands: the store holds what its journal makes anew."""

from collections import Counter
from pathlib import Path
from typing import Any

import engram
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.rules.invariants import broken
from engram.services.doctor.store_checks import whole_state
from engram.store.database.duck_database import DuckFactDatabase
from tests.begun import empty
from tests.sequences import Sequence
from tests.sparse import copy_folder

ARCHIVED = 8  # one of so many sequences goes through an archive
REBUILT = 20  # and one of so many is made anew with all that is in it


def problems_of(folder: Path, seed: int, commands: int) -> tuple[list[str], Counter[str]]:
    """Live one sequence; return what was wrong with it, with the commands that led there, and how many of each."""
    sequence = Sequence(folder, seed)
    try:
        sequence.live(commands)
        found = differences(sequence)
        found += archive_differences(sequence) if seed % ARCHIVED == 1 else []
        found += rebuild_differences(sequence) if seed % REBUILT == 2 else []
        return [f"seed {seed}", *found, *sequence.log] if found else [], sequence.counts
    finally:
        sequence.close()


def differences(sequence: Sequence) -> list[str]:
    """Return what is unsound, or otherwise than the journal says when it is folded anew."""
    sequence.memory.rebuild("mirror")
    sequence.learn_applied()
    sequence.workspace.index.catch_up()
    verified = sequence.memory.verify()
    found = [f"verify: {problem}" for problem in (*verified.problems, *verified.degraded)]
    with sequence.workspace.reading() as database:
        return found + [f"invariant: {sentence}" for sentence in broken(whole_state(database))]


def rebuild_differences(sequence: Sequence) -> list[str]:
    """Return what doctor calls unsound, and what is otherwise once everything was made anew from the journal."""
    with sequence.workspace.apart():
        found = [f"doctor: {one.message}" for one in sequence.memory.doctor() if one.level == Level.ERROR]
        before = _everything(sequence)
        sequence.memory.rebuild("all")
        after = _everything(sequence)
    found += [f"{name} differs from a rebuild" for name in before if before[name] != after.get(name)]
    return found + [f"{name} is only there after a rebuild" for name in after if name not in before]


def archive_differences(sequence: Sequence) -> list[str]:
    """Return what an archive loses on its way into another store."""
    first, second = (sequence.folder / name for name in ("first.jsonl", "second.jsonl"))
    sequence.memory.export(first)
    root = copy_folder(empty(sequence.zone), sequence.folder / "other")
    with engram.open(root, now=lambda: sequence.now) as other:
        other.import_memory("jsonl", first, as_own=True)
        other.export(second)
        problems = [f"imported: {problem}" for problem in other.verify().problems]
    return problems if first.read_bytes() == second.read_bytes() else [*problems, "the archive differs"]


def _everything(sequence: Sequence) -> dict[str, Any]:
    """Return what lies in the tables and in life/, and the digest of the index."""
    life = sequence.root / "life"
    files = (file for file in life.rglob("*") if file.is_file())
    found: dict[str, Any] = {f"life/{file.relative_to(life)}": file.read_bytes() for file in files}
    with sequence.workspace.index.searching() as index:
        found["digest of the index"] = index.digest()
    with sequence.workspace.reading() as database:
        return found | {f"table {name}": rows for name, rows in _tables(database).items()}


def _tables(database: FactDatabase) -> dict[str, list[str]]:
    """Return the rows of each table of a store that is attached, in an order that is the same for the same rows."""
    assert isinstance(database, DuckFactDatabase)
    names = database._run("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'").fetchall()
    return {name: sorted(map(repr, database._run(f'SELECT * FROM "{name}"').fetchall())) for (name,) in names}
