"""What a check is, and what it looks at."""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.errors import DamagedDatabaseError
from engram.errors import UnreadableJournalError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal
from engram.ports.mirror import Mirror
from engram.ports.text_files import TextFiles

FIX = "engram doctor --fix"
HEARTBEAT = "engram heartbeat run"


class Torn(Protocol):
    """Bytes at the journal's end that are no whole record."""

    @property
    def path(self) -> Path:
        """The segment."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes."""
        ...


class Repair(Protocol):
    """What a journal would be after its repair."""

    @property
    def refusal(self) -> str:
        """Why it may not be carried out; "" when it only adds."""
        ...


class CheckedJournal(Journal, Protocol):
    """A journal that can tell whether its end is torn, and what would mend it."""

    def torn_tail(self) -> Torn | None:
        """Return the torn bytes, or None."""
        ...

    def plan_repair(self, known: Sequence[bytes] = ()) -> Repair:
        """Return what can be made of its own lines and of those that are known elsewhere."""
        ...


class CheckedMirror(Mirror, Protocol):
    """A mirror whose state can be set aside."""

    def set_state_aside(self) -> str:
        """Move the state file to where edits are kept, and return that place."""
        ...


@dataclass(frozen=True)
class Checkup:
    """What the checks look at."""

    paths: Paths  # of the workspace
    settings: Settings  # in force
    now: dt.datetime  # aware
    journal: CheckedJournal  # the truth
    mirror: CheckedMirror  # life/
    files: TextFiles  # what people and agents write
    hold_store: Callable[[], AbstractContextManager[None]]  # shared, for as long as the store is looked at
    open_database: Callable[[], AbstractContextManager[FactDatabase]]  # read-only; the file must be there
    require_writable: Callable[[], object]  # raises NewerFormatError or DamagedStateError
    fold_journal: Callable[[], AbstractContextManager[FactDatabase]]  # for the check, at the head of the journal
    history_problem: Callable[[], str]  # how the journal differs from what was signed of it; empty: it does not
    encryption_findings: Callable[[], Iterable[Finding]]  # what is not as it should be with the encryption of the store
    open_index: Callable[[], AbstractContextManager[VectorIndex]]  # the folder must be there
    here: str | None = None  # the folder where who asks works

    def finding(self, code: str, level: Level, path: Path, message: str, command: str = FIX) -> Finding:
        """Return a finding with its path as people read it."""
        return Finding(code=code, level=level, path=self.paths.relative(path), message=message, command=command)


Check = Callable[[Checkup], Iterator[Finding]]


@contextmanager
def standing(checkup: Checkup) -> Iterator[FactDatabase | None]:
    """Give the database when it can be asked, else None: that is the database check's finding."""
    with ExitStack() as stack:
        database = None
        if checkup.paths.database.exists():
            with suppress(DamagedDatabaseError):
                database = stack.enter_context(checkup.open_database())
        yield database


def is_made_from(journal: Journal, position: int, known: str) -> bool:
    """Tell whether a projection that stands at a position below the head, with that hash, is of this journal.

    True where the journal does not read: that is the journal check's finding.
    """
    try:
        following = next(iter(journal.read(after=position)), None)
    except UnreadableJournalError:
        return True
    return not position or not known or following is None or following[0].previous == known


def journal_head(checkup: Checkup) -> tuple[int, str] | None:
    """Return the journal's head; None when its end is damaged, which is the journal check's finding."""
    try:
        return checkup.journal.head()
    except UnreadableJournalError:
        return None
