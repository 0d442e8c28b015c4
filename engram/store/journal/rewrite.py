"""The journal written anew, without what was forgotten: all of it or nothing.

New segments are written beside the old ones, in `journal/rewriting/`. From the moment that `complete` stands there they
are the journal: whoever looks for segments first puts them into place, also after a crash. Before it they are nothing.
"""

import gzip
import shutil
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import Protocol

from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import write_durably
from engram.model.changes.record import Record
from engram.store.journal.continuation import rechained_lines

FOLDER: Final = "rewriting"
COMPLETE: Final = "complete"
_SEALED: Final = ".gz"


class Segmented(Protocol):
    """What is read of the journal."""

    def segments(self) -> list[Path]:
        """Return the files, in the order of their positions."""
        ...

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """Yield the records with their lines."""
        ...

    def content_of(self, lines: Sequence[bytes], first: int) -> bytes:
        """Return what stands in a file for lines of positions from `first` on."""
        ...


def rewrite_journal(folder: Path, journal: Segmented, change: Callable[[Record], Record]) -> int:
    """Replace every record by what `change` makes of it, and mend the chain; return how many are not as they were.

    Hold the store lock, with no torn tail. Positions and segments stay. Raises DamagedJournalError, with nothing
    changed, when the journal does not read.
    """
    return replace_lines(folder, journal, rechained_lines(journal.read(), change))


def replace_lines(folder: Path, journal: Segmented, found: Iterable[tuple[bytes, bool]]) -> int:
    """Put other lines, which begin at position 1, in the place of all; return how many were told to be changed.

    Hold the store lock. Raises what `found` raises; then nothing is changed.
    """
    fresh = folder / FOLDER
    shutil.rmtree(fresh, ignore_errors=True)
    segments = journal.segments()
    firsts = [int(path.name.partition(".")[0]) for path in segments]
    lines: dict[Path, list[bytes]] = {path: [] for path in segments}
    changed = 0
    for position, (line, is_changed) in enumerate(found, 1):
        changed += is_changed
        place = max(number for number, first in enumerate(firsts) if first <= position)
        lines[segments[place]].append(line)
    if not changed:
        return 0
    fresh.mkdir(mode=0o700)
    for (path, own), first in zip(lines.items(), firsts, strict=True):
        content = journal.content_of(own, first)
        write_durably(fresh / path.name, gzip.compress(content, 6, mtime=0) if path.name.endswith(_SEALED) else content)
    fault_point("journal-rewritten")
    write_durably(fresh / COMPLETE, b"")
    fault_point("journal-rewriting-complete")
    finish_rewriting(folder)
    return changed


def finish_rewriting(folder: Path) -> None:
    """Put rewritten segments into place; safe to do twice, and by two processes at once."""
    fresh = folder / FOLDER
    for path in sorted(fresh.glob("[0-9]*")):
        try:
            path.replace(folder / path.name)
        except FileNotFoundError:  # another process was first
            continue
        fault_point("segment-replaced")
    fsync_folder(folder)
    (fresh / COMPLETE).unlink(missing_ok=True)
    shutil.rmtree(fresh, ignore_errors=True)
