"""Whether the projections are what the journal says: digests, compared."""

import hashlib
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.counts import counted
from engram.base.disk.own_files import read_own
from engram.ports.database import FactDatabase
from engram.services.doctor.rendered import Compared


class IndexLook(NamedTuple):
    """What was seen of the index."""

    digest: str  # "" where it could not be looked at
    position: int  # of the journal, that it stands for
    problem: str  # why it could not be looked at, or ""
    wrong: list[str]  # what it holds otherwise than the journal


class Verified(NamedTuple):
    """The outcome of a verification."""

    position: int  # of the journal
    head: str  # hash of its last line
    digests: dict[str, Any]  # database (by table), mirror, index
    problems: tuple[str, ...] = ()  # what is inconsistent: the store is damaged
    degraded: tuple[str, ...] = ()  # what is behind or missing, and can be made again
    signed: dict[str, Any] | None = None  # up to where the journal is vouched for: position, at, unsigned
    unsigned_because: str = ""  # why nothing more can be told of that
    expected_at: int | None = None  # position of the head that was asked for

    def with_mirror(self, life: Path) -> "Verified":
        """Add the digest over every file of life/, by name and content."""
        digest = hashlib.sha256()
        for path in sorted(path for path in life.rglob("*") if path.is_file()):
            name = path.relative_to(life).as_posix()
            digest.update(f"{name}\0{hashlib.sha256(read_own(path)).hexdigest()}\n".encode())
        return self._replace(digests={**self.digests, "mirror": digest.hexdigest()})

    def with_rendering(self, found: Compared) -> "Verified":
        """Add what of life/ is not as the journal says."""
        problems, degraded = (*self.problems, *found.problems), (*self.degraded, *found.degraded)
        return self._replace(problems=problems, degraded=degraded)

    def with_index(self, found: IndexLook) -> "Verified":
        """Add the index's digest, or why there is none, and what it holds otherwise than the journal."""
        digest, position, problem, wrong = found
        behind = (
            f"the index is {counted(self.position - position, 'record')} behind" if position < self.position else ""
        )
        words = tuple(word for word in (problem or behind,) if word)
        degraded, problems = (*self.degraded, *words), (*self.problems, *wrong)
        return self._replace(digests={**self.digests, "index": digest}, degraded=degraded, problems=problems)

    def with_shared(self, problem: str, degraded: str) -> "Verified":
        """Add what is wrong with the journal on the server, or why nobody can tell."""
        problems, behind = (*self.problems, *filter(None, [problem])), (*self.degraded, *filter(None, [degraded]))
        return self._replace(problems=problems, degraded=behind)

    def with_history(self, signed: dict[str, Any] | None, problem: str, note: str) -> "Verified":
        """Add up to where the journal is vouched for, and what speaks against it."""
        problems = (*self.problems, problem) if problem else self.problems
        return self._replace(signed=signed, unsigned_because=note, problems=problems)

    def with_expected(self, position: int | None, noted: str) -> "Verified":
        """Add where the head that somebody noted down stands; None: nowhere."""
        problems = () if position is not None else (f"the journal has no record with the head {noted}",)
        return self._replace(expected_at=position, problems=(*self.problems, *problems))

    def as_json(self) -> dict[str, Any]:
        """Return the outcome with the keys of the contract."""
        return {"ok": not self.problems, **self._asdict()}


def compare_databases(database: FactDatabase, rebuilt: FactDatabase, *, head: tuple[int, str]) -> Verified:
    """Compare the database with one that was just folded from the whole journal.

    Raises DamagedJournalError (from reading) when the chain does not hold.
    """
    found, expected = database.digests(), rebuilt.digests()
    problems = [f"table {name} is not what the journal says" for name in expected if found[name] != expected[name]]
    if database.position() != head[0] or database.head_hash() != head[1]:
        problems.append(f"the database stands at position {database.position()}, the journal at {head[0]}")
    return Verified(position=head[0], head=head[1], digests={"database": found}, problems=tuple(problems))
