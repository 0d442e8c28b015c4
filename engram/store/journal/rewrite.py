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
from engram.base.disk.files import write_durably
from engram.base.text import sha256_hex
from engram.model.changes.record import Record
from engram.store.journal.continuation import rechained_lines
from engram.store.journal.rewritten import COMPLETE
from engram.store.journal.rewritten import FOLDER
from engram.store.journal.rewritten import Written

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
    digests: dict[str, str] = {}
    for (path, own), first in zip(lines.items(), firsts, strict=True):
        content = journal.content_of(own, first)
        content = gzip.compress(content, 6, mtime=0) if path.name.endswith(_SEALED) else content
        write_durably(fresh / path.name, content)
        digests[path.name] = sha256_hex(content)
    fault_point("journal-rewritten")
    write_durably(fresh / COMPLETE, Written(segments=digests).model_dump_json().encode())
    fault_point("journal-rewriting-complete")
    journal.segments()  # whoever looks for them puts them into place
    return changed
