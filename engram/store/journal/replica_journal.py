"""The journal of one machine as a copy of the shared one: nothing stands in its files that is not on the server.

Invariant: the files hold the shared journal's first records, byte for byte. `append` writes to the server first, so a
crash leaves the files behind, and `pull` brings them forward. They may be thrown away.
"""

import functools
import hashlib
import itertools
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import Literal

from pydantic import ValidationError

from engram.base.counts import counted
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.log import warn
from engram.errors import DamagedJournalError
from engram.errors import DamagedStateError
from engram.errors import JournalAwayError
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.model.changes.record import Record
from engram.model.value import Value
from engram.ports.journal import SharedHead
from engram.ports.journal import SharedJournal
from engram.store.journal import salvage
from engram.store.journal.continuation import continuing_lines
from engram.store.journal.file_journal import FileJournal
from engram.store.journal.rewrite import replace_lines

_BATCH: Final = 2000  # records written at a time
_BATCH_BYTES: Final = 8 << 20
_THROW_AWAY: Final = (
    "if this folder should follow the shared journal, move .engram/journal and .engram/engram.duckdb away: both come"
    " back from the server"
)

_JOIN: Final = (
    "two memories are never mixed: make a new folder that joins it (engram init), and take this one along with"
    " engram export jsonl and engram import jsonl; or share this one under another journal.workspace"
)


class ReplicaState(Value):
    """What a machine knows of the shared journal that its files are a copy of."""

    v: Literal[1] = 1
    workspace: str  # its name on the server
    generation: int  # of the shared journal that the files are a copy of
    is_attached: bool = True  # False: it was moved to files, and nothing more may go to the server


def load_replica(path: Path) -> ReplicaState | None:
    """Return what is known; None where the journal never was a copy. Raises DamagedStateError."""
    try:
        return ReplicaState.model_validate_json(read_own(path))
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        raise DamagedStateError(
            f"{path.name} does not read", hint=f"remove {path}; the next command makes it", path=str(path)
        ) from problem


def save_replica(path: Path, state: ReplicaState) -> None:
    """Keep what is known, durably."""
    write_durably(path, state.model_dump_json().encode() + b"\n", mode=0o600)


class ReplicaJournal(FileJournal):
    """Files that follow a shared journal, and through which records get there."""

    def __init__(
        self,
        folder: Path,
        connect: Callable[[], SharedJournal],
        state: Path,
        workspace: str,
        *,
        segment_bytes: int,
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        """Take what the files take, what gives the shared journal, the file of the replica's state, and its name."""
        super().__init__(folder, segment_bytes=segment_bytes, prepare=prepare)
        self._connect = connect
        self._state = state
        self._workspace = workspace

    @functools.cached_property
    def shared(self) -> SharedJournal:
        """The shared journal; its driver is loaded when it is first needed."""
        return self._connect()

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """Append records to the shared journal, then here; see the ports."""
        if not records:
            return []
        continuing_lines(records, self.head())
        lines = self.shared.append(records)
        if self._known() is None:
            self._keep(self.shared.standing())  # before anything stands here that would pass for a journal of its own
        self._append_lines(lines, records[0].position)
        return lines

    def is_rewritten(self) -> bool:
        """Tell whether the shared journal was written anew since these files were made: `renew` must come first."""
        known = self._known()
        return known is not None and known.generation not in {0, self.shared.standing().generation}

    def pull(self) -> int:
        """Bring the files to where the shared journal stands, under the store lock; return how many records came.

        What the server has lost of what it had taken before, it gets back. Raises RefusedError where there is no such
        journal on the server or a folder with records of its own would join it, DamagedJournalError where the files are
        of another one, SettingsError after a move.
        """
        known = self._known()
        standing = self.shared.standing()
        self.cut_torn_tail()
        position, head = self.head()
        if standing.generation == 0:
            self._require_nothing(position)
            return 0
        if position > standing.position:
            self._give_back(standing, position, has_joined=known is not None)
            return 0
        if self.shared.hash_at(position) != head:
            if known is None:
                raise self._stranger(position)
            raise DamagedJournalError(
                f"this folder has {counted(position, 'record')} of its own, which are not those of the shared journal",
                hint=_THROW_AWAY,
                position=position,
            )
        came = self._take(position) if standing.position > position else 0
        if known is None or known.generation != standing.generation:
            self._keep(standing)
        return came

    def renew(self) -> None:
        """Make the files what the shared journal became when it was written anew; under the store lock.

        That this is done is noted by the next `pull`: until then it is done again, which does no harm.
        """
        self.cut_torn_tail()
        position = self.head()[0]
        anew = itertools.islice(self.shared.read(), position)
        replace_lines(self._folder, self, ((line, True) for _, line in anew))
        if self.shared.hash_at(position) != self.head()[1]:
            raise DamagedJournalError("what was written anew did not come whole", hint=_THROW_AWAY)

    def rewrite(self, change: Callable[[Record], Record]) -> int:
        """Replace every record, on the server first; see `FileJournal.rewrite`."""
        changed = self.shared.rewrite(change)
        if self.is_rewritten():
            self.renew()
            self._keep(self.shared.standing())
        return changed

    def plan_repair(self, known: Sequence[bytes] = ()) -> salvage.Repair:
        """See `FileJournal`; the server knows every line."""
        try:
            shared = [line for _, line in self.shared.read()]
        except JournalAwayError as away:
            warn(f"{away.message}; the journal is mended without it")
            shared = []
        return super().plan_repair([*known, *shared])

    # -- inside

    def _known(self) -> ReplicaState | None:
        known = load_replica(self._state)
        if known is not None and not known.is_attached:
            raise SettingsError("the journal was moved to files since this was started", hint="start it again")
        if known is not None and known.workspace != self._workspace:
            raise RefusedError(
                f"the records of this folder are those of {known.workspace!r}, and journal.workspace says"
                f" {self._workspace!r}",
                hint=_THROW_AWAY,
            )
        return known

    def _keep(self, standing: SharedHead) -> None:
        save_replica(self._state, ReplicaState(workspace=self._workspace, generation=standing.generation))

    def _require_nothing(self, position: int) -> None:
        if position:
            raise RefusedError(
                f"the server has no journal {self._workspace!r}, and this folder has one of"
                f" {counted(position, 'record')}",
                hint="engram config journal.url ''; then engram migrate-store --to URL moves them there",
            )

    def _stranger(self, position: int) -> RefusedError:
        """Return what is said to a folder that would join with records which never were on the server."""
        return RefusedError(
            f"this folder has {counted(position, 'record')} of its own, which are not those of the shared journal"
            f" {self._workspace!r}",
            hint=_JOIN,
        )

    def _give_back(self, standing: SharedHead, position: int, *, has_joined: bool) -> None:
        """Append again what the server took before and has lost, such as after a failover to a standby behind it."""
        missing = list(self.read(after=standing.position))
        if missing[0][0].previous != standing.head or not standing.position:
            if not has_joined:
                raise self._stranger(position)
            raise DamagedJournalError(
                f"the shared journal ends at position {standing.position} and is another than that of this folder",
                hint=_THROW_AWAY,
            )
        warn(f"the server has lost {position - standing.position} records that it had taken; it gets them again")
        self.shared.append_lines(missing)

    def _take(self, after: int) -> int:
        came = 0
        for pairs in in_batches(self.shared.read(after=after)):
            self._append_lines([line for _, line in pairs], pairs[0][0].position)
            came += len(pairs)
        return came


def in_batches(found: Iterator[tuple[Record, bytes]]) -> Iterator[list[tuple[Record, bytes]]]:
    """Yield them in lists, so that what is held at once is bounded."""
    pairs, size = list[tuple[Record, bytes]](), 0
    for record, line in found:
        pairs.append((record, line))
        size += len(line)
        if len(pairs) == _BATCH or size >= _BATCH_BYTES:
            yield pairs
            pairs, size = [], 0
    if pairs:
        yield pairs


def digest_of(lines: Iterator[tuple[Record, bytes]]) -> str:
    """Return the SHA-256 over all lines: equal journals, equal digests."""
    digest = hashlib.sha256()
    for _, line in lines:
        digest.update(line + b"\n")
    return digest.hexdigest()
