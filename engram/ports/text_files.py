"""The text files of a workspace that people and agents write: notes, handoffs, decisions, and the files of domains."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from engram.base.disk.safe_files import MAX_READ_BYTES
from engram.config.paths import Paths


class Appended(Protocol):
    """A file that is held for appending."""

    is_new: bool
    """Whether it was empty when it was opened, as one that was just made."""

    def read(self) -> bytes:
        """Return all that stands in it."""
        ...

    def append(self, data: bytes) -> None:
        """Add to its end: all of it, or nothing."""
        ...


class TextFiles(Protocol):
    """Files of one workspace, each by its whole path.

    Reach: no link below the workspace is followed, and nothing outside is read or written; RefusedError says so, where
    a method names no other error. `read` and `follows=True` go where a person's link leads. Atomicity: a reader finds
    the old or the new content. Durability: what a method has written, moved or removed survives a crash. Turns: others
    wait for a file or folder that is held.
    """

    @property
    def paths(self) -> Paths:
        """Where everything lies."""
        ...

    def of_silo(self, folder: str) -> "TextFiles":
        """Return the same files with the domains of a silo instead of those of all; see `Paths.of_silo`."""
        ...

    def locate(self, given: str) -> Path:
        """Return the note below memory/ that a path means, relative to the workspace or to the current folder.

        Raises NotFoundError, and RefusedError for a link, for what lies elsewhere and for what is no note.
        """
        ...

    def read(self, path: Path) -> bytes:
        """Return the bytes of a file; raise FileNotFoundError, and RefusedError for what is no file or too large."""
        ...

    def read_within(self, path: Path, most_bytes: int = MAX_READ_BYTES, *, at_rest: bool = True) -> bytes:
        """Return the bytes of a file without following a link; raises what `base.disk.safe_files.read_within` does."""
        ...

    def size(self, path: Path) -> int:
        """Return how many bytes a file has; raise FileNotFoundError."""
        ...

    def is_file(self, path: Path) -> bool:
        """Tell whether a file has that path."""
        ...

    def is_same(self, one: Path, other: Path) -> bool:
        """Tell whether two paths name one file."""
        ...

    def notes_in(self, folder: Path) -> Iterator[Path]:
        """Yield the files of a folder that are called `*.md`, in no order; none where there is no folder."""
        ...

    def refuse_links(self, *places: Path) -> None:
        """Raise RefusedError when one of these is a link."""
        ...

    def make_folder(self, folder: Path) -> None:
        """Make a folder that is missing, and those above it."""
        ...

    def holding(self, folder: Path) -> AbstractContextManager[None]:
        """Hold a folder, made when it is missing."""
        ...

    def locking(self, path: Path, *, follows: bool = False) -> AbstractContextManager[None]:
        """Hold a file; raise FileNotFoundError."""
        ...

    def appending(self, path: Path, *, follows: bool = False) -> AbstractContextManager[Appended]:
        """Hold a file for appending, made when it is missing."""
        ...

    def begin(self, path: Path, content: bytes) -> bool:
        """Make a file unless it is there, and tell whether it was made."""
        ...

    def write(self, path: Path, content: bytes) -> None:
        """Put a content into the place of a file, whether it is there or not."""
        ...

    def keep(self, path: Path, archive: Path) -> None:
        """Give a file a second name, or where that cannot be, a copy of that name."""
        ...

    def move(self, path: Path, target: Path) -> None:
        """Give a file another name instead of its own."""
        ...

    def exchange(self, path: Path, *, was: bytes, content: bytes, archive: Path) -> None:
        """Put a content into the place of a file, which itself gets its name in the archives, unless it has it.

        The content is read back and compared before that. Raises RefusedError, and changes nothing, when the file is
        not as it `was`, or the disk does not take it.
        """
        ...

    def remove(self, path: Path) -> None:
        """Take a file away; raise FileNotFoundError."""
        ...
