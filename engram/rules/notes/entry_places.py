"""Which entries of notes were read before, and which of them have moved: an entry keeps its id wherever it goes.

An entry that stands where it stood is known. One that appears somewhere while the same entry of the same day has gone
from elsewhere (its file was renamed, put into archives, or lost that line) has moved: it is no news, and its stored row
follows it. What stands in an archive that was rotated out of a file is that file's. Everything else is fresh.
Entries are compared by the SHA-256 of their bytes; other line breaks make no other entry.
"""

from collections import Counter
from collections import defaultdict
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.model.conversation import NoteEntry
from engram.rules.notes.rotation import rotated_from

_Stored = dict[str, dict[str, list[NoteEntry]]]  # path -> hash -> rows in the order of the note


class Move(NamedTuple):
    """An entry that stands elsewhere than it did."""

    entry: NoteEntry  # as it stands now, with the id that it had
    before: str  # path of the note that it stood in


class Placed(NamedTuple):
    """The entries of some notes, told apart."""

    known: list[NoteEntry]  # with the ids under which they are stored
    moved: list[Move]
    fresh: list[NoteEntry]  # with the ids that they came with


def spellings(entry: NoteEntry) -> tuple[str, ...]:
    """Return the SHA-256 of an entry's bytes as they are, and with either kind of line breaks."""
    if "\n" not in entry.text:
        return (entry.sha256,)
    plain = entry.text.replace("\r\n", "\n")
    return tuple(dict.fromkeys((entry.sha256, *map(sha256_hex, (plain, plain.replace("\n", "\r\n"))))))


def place_entries(
    found: Mapping[str, Sequence[NoteEntry]],
    rows: Iterable[NoteEntry],
    present: Collection[str],
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> Placed:
    """Tell apart the entries of notes that were changed or are new.

    Args:
        found: path -> entries as they stand now, in order.
        rows: stored entries of these notes and of those that they were rotated from, and all that equal one found.
        present: paths of all notes that there are.
        renamed: path -> where the very same bytes stood before, for a note that was renamed and not changed: its day
            may be another one now.
    """
    stored: _Stored = defaultdict(lambda: defaultdict(list))
    for one in sorted(rows, key=lambda one: (one.path, one.start, one.id)):
        stored[one.path][one.sha256].append(one)
    of_family = _count_families(stored)
    placed = Placed([], [], [])
    unknown: list[NoteEntry] = []
    for entry in (entry for entries in found.values() for entry in entries):
        row = _take(stored[entry.path], entry, entry.path)
        if row is None:
            unknown.append(entry)
        else:
            placed.known.append(_under(row, entry))
    gone = _left_over({path: left for path, left in stored.items() if path in found or path not in present})
    for entry in sorted(unknown, key=_is_archived):  # files before what was rotated out of them
        row = _take(gone, entry, renamed.get(entry.path, ""))
        origin = rotated_from(entry.path)
        if row is not None:
            placed.moved.append(Move(_under(row, entry), row.path))
        elif origin is None or not any(of_family[origin, one] for one in spellings(entry)):
            placed.fresh.append(entry)
            of_family[origin or entry.path, entry.sha256] += 1
    return placed


def _left_over(stored: Mapping[str, Mapping[str, list[NoteEntry]]]) -> dict[str, list[NoteEntry]]:
    """Return hash -> rows of what stands no more where it stood."""
    gone: dict[str, list[NoteEntry]] = defaultdict(list)
    for by_hash in stored.values():
        for sha256, left in by_hash.items():
            gone[sha256] += left
    return gone


def _count_families(stored: Mapping[str, Mapping[str, Sequence[NoteEntry]]]) -> Counter[tuple[str, str]]:
    """Return how many rows with a hash a file and its archives have together."""
    counts: Counter[tuple[str, str]] = Counter()
    for path, by_hash in stored.items():
        for sha256, rows in by_hash.items():
            counts[rotated_from(path) or path, sha256] += len(rows)
    return counts


def _take(rows: Mapping[str, list[NoteEntry]], entry: NoteEntry, path: str) -> NoteEntry | None:
    """Take the first row that equals the entry out of the rows: one from that path, or one that may be of its day."""
    for sha256 in spellings(entry):
        for place, row in enumerate(rows.get(sha256, ())):
            if row.path == path or row.on in {None, entry.on}:
                return rows[sha256].pop(place)
    return None


def _under(row: NoteEntry, entry: NoteEntry) -> NoteEntry:
    return entry.model_copy(update={"id": row.id, "scope": row.scope, "actor": row.actor})


def _is_archived(entry: NoteEntry) -> bool:
    return rotated_from(entry.path) is not None
