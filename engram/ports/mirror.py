"""The mirror: the projection in life/ that people read and edit."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Literal
from typing import Protocol

from pydantic import Field

from engram.config.sections.memory import DecaySettings
from engram.model.value import Instant
from engram.model.value import Value


class TierBasis(Value):
    """By what the tiers in the files were computed."""

    at: Instant
    decay: DecaySettings


Stamp = tuple[int, int]
"""Time of the last change in nanoseconds and size of a file. Who edits it leaves another; a disk that rots does not."""


class MirrorState(Value):
    """What was last written to life/, so that a person's edit can be told from our own words."""

    v: Literal[1] = 1  # format version
    position: int = 0  # journal position that the files stand for
    tiers_on: dt.date | None = None  # of earlier versions; `basis` says more
    weighed: str = ""  # the day and the settings by which it was last asked which facts leave the summaries
    basis: TierBasis | None = None  # of the tiers in all files but those of entities that changed since
    held: bool = False  # more facts would leave than may at once: the files keep the tiers of their basis
    turned_on: dt.date | None = None  # by the wall clock: the day up to which a thorough refresh let time go by
    held_at: Instant | None = None  # the moment whose facts the files show; None: that of the last record
    made_with: str = ""  # what else shapes the files, hashed; another one means: render everything
    behind: tuple[str, ...] = ()  # entities that were too large to be written at once; the heartbeat does it
    files: dict[str, str] = Field(default_factory=dict)  # name relative to life/ -> SHA-256 of what was last written
    stamps: dict[str, Stamp] = Field(default_factory=dict)  # name relative to life/ -> what it was stamped with then


class Mirror(Protocol):
    """Files by name relative to life/, such as people/anna/summary.md, and the state of the mirror.

    Atomicity: a file is there whole, in its old or new content; several files are not one step, so a crash between
    them repeats work. The state is saved after the files. Errors: DamagedStateError where the state does not read or
    a folder stands in the place of a file. Limits: one writer at a time, under the store lock.
    """

    def load(self) -> MirrorState:
        """Return the state as last saved, the empty state when there never was one."""
        ...

    def save(self, state: MirrorState) -> None:
        """Replace the state."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None when it is not there."""
        ...

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a file, or None when it is not there."""
        ...

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files, folders included."""
        ...

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files, and their folder when nothing is left in it."""
        ...

    def kept_name(self, name: str, content: bytes) -> str:
        """Return where `keep` would put that content of the file, relative to the workspace."""
        ...

    def keep(self, name: str, content: bytes) -> str:
        """Put a copy where edits are kept, and return that place; keeping the same content again changes nothing."""
        ...


class ReviewMirror(Protocol):
    """Files of what waits for review, by name such as tensions/tension-0001.md, and a mark that says what they show.

    Reach: RefusedError where a folder is a link. Atomicity: as that of `Mirror`. Errors: DamagedStateError where the
    disk takes or gives none. Limits: one writer at a time, under the store lock.
    """

    def mark(self) -> str:
        """Return the mark as last saved, "" when there never was one."""
        ...

    def save_mark(self, mark: str) -> None:
        """Replace the mark; it is saved after the files."""
        ...

    def names(self, folder: str, pattern: str) -> set[str]:
        """Return what is called like that in a folder, by name."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None when no file is there."""
        ...

    def write(self, name: str, content: bytes) -> bool:
        """Write a file and tell whether that was done: what stands in its place and is no file is left alone."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...

    def keep(self, name: str, content: bytes) -> None:
        """Put a copy where edits are kept; keeping the same content again changes nothing."""
        ...
