"""How a damaged journal is put together again: of every line that is still whole, wherever it lies.

Invariant: repair only adds. A plan names every whole line that the segments or the database hold; it is refused when
one of them would no longer be in the journal, or when a record that was there is not known to anybody any more.
Segments that are written anew stay beside the journal under `damaged-*` names.
"""

from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.files import fsync_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.errors import NewerFormatError
from engram.model.changes.record import GENESIS
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.journal import segments
from engram.store.journal.line import crc_holds
from engram.store.journal.line import is_torn
from engram.store.journal.line import place_of

BACKUP = "put .engram/journal back from a backup"


class Repair(NamedTuple):
    """What the journal would be after its repair."""

    lines: tuple[bytes, ...]  # of positions 1, 2, 3, ...: an unbroken chain
    known: frozenset[bytes]  # every whole line that the segments and the database hold now
    kept: dict[int, int]  # first position of each segment that stays as it is -> number of its lines
    goes: tuple[Path, ...]  # the segments that do not stay
    refusal: str = ""  # why nothing may be written; "" when the repair only adds


class _Segment(NamedTuple):
    path: Path
    lines: list[bytes]  # those that end in a newline
    is_all: bool  # nothing else was in it
    reads: bool  # in the ordinary way


def plan_repair(folder: Path, known: Sequence[bytes], cipher: StoreCipher) -> Repair:
    """Return the longest chain that can be made, and whether writing it only adds."""
    read = [_read_segment(path, cipher) for path in segments.list_copies(folder)]
    found = [one for one in read if one.lines or not one.is_all]  # one that was just begun holds nothing yet
    own = [line for segment in found for line in segment.lines if crc_holds(line)]
    whole = frozenset(own) | frozenset(known)
    lines = _chain(_sorted_by_place([*own, *known, *_lines_set_aside(folder, cipher)]))
    kept = {segments.first_position(one.path): len(one.lines) for one in found if _is_sound(one, lines)}
    plan = Repair(tuple(lines), whole, kept, tuple(one.path for one in found if not _is_sound(one, lines)))
    return plan._replace(refusal=_refusal(plan, found))


def carry_out(folder: Path, plan: Repair, cipher: StoreCipher) -> int:
    """Write what the plan says and return how many lines were put back.

    A new segment is whole before an old one goes; a crash on the way leaves a journal that can be planned anew.
    """
    before = {line for path in plan.goes for line in _read_segment(path, cipher).lines}
    written, restored = set(), 0
    segments.keep_aside(plan.goes)
    for first, lines in _gaps(plan):
        target = segments.segment_path(folder, first)
        write_durably(target, b"".join(line + b"\n" for line in cipher.encrypt_lines(lines, first)))
        written.add(target)
        restored += sum(line not in before for line in lines)
    for path in plan.goes:
        if path not in written:
            path.unlink(missing_ok=True)  # what is no file was moved aside
    fsync_folder(folder)
    return restored


def _gaps(plan: Repair) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield (first position, lines) of each segment that is to be written."""
    position = 1
    while position <= len(plan.lines):
        if position in plan.kept:
            position += plan.kept[position]
            continue
        end = min((first for first in plan.kept if first > position), default=len(plan.lines) + 1)
        yield position, plan.lines[position - 1 : end - 1]
        position = end


def _refusal(plan: Repair, found: Sequence[_Segment]) -> str:
    if lost := len(plan.known - set(plan.lines)):
        return f"{lost} known records would no longer be in the journal"
    unknown = [position for one in found for position in _unread_positions(one) if position > len(plan.lines)]
    if unknown:
        return f"the record at position {min(unknown)} does not read, and nothing else holds it"
    return ""


def _unread_positions(segment: _Segment) -> Iterator[int]:
    """Yield the positions of records that were in the segment and do not read."""
    first = segments.first_position(segment.path)
    for position, line in enumerate(segment.lines, first):
        if not crc_holds(line) and not is_torn(line):
            yield position
    is_one = segment.path.is_file()
    if not segment.is_all and (segments.is_sealed(segment.path) or not is_one):  # something was behind what reads
        yield first + len(segment.lines)


def _is_sound(segment: _Segment, chain: Sequence[bytes]) -> bool:
    """Tell whether the segment holds just what the chain has at its place."""
    begin = segments.first_position(segment.path) - 1
    there = list(chain[begin : begin + len(segment.lines)])
    return bool(segment.lines) and segment.reads and segment.lines == there


def _read_segment(path: Path, cipher: StoreCipher) -> _Segment:
    data, is_all = segments.readable_content(path)
    lines = [_decrypted(line, cipher) for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]]
    return _Segment(path, lines, is_all, _reads(path) and is_all)


def _decrypted(line: bytes, cipher: StoreCipher) -> bytes:
    """Return a line as it was before it was encrypted; one that was changed since stays as it is, and has no place."""
    try:
        return cipher.decrypt_line(line)
    except UndecryptableError:
        return line


def _reads(path: Path) -> bool:
    try:
        segments.content(path)
    except DamagedJournalError:
        return False
    return True


def _lines_set_aside(folder: Path, cipher: StoreCipher) -> list[bytes]:
    """Return the whole lines of what earlier repairs set aside."""
    found: list[bytes] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not path.name.startswith((segments.DAMAGED, segments.TORN)):
            continue
        try:
            raw = cipher.decrypt_file(read_own(path), path.name)
        except (UndecryptableError, OSError):
            continue
        is_packed = path.name.startswith(segments.DAMAGED) and segments.is_sealed(path)
        lines = segments.readable(raw, is_packed=is_packed)[0].split(b"\n")
        found += [_decrypted(line, cipher) for line in lines if crc_holds(line)]
    return found


def _sorted_by_place(lines: Sequence[bytes]) -> dict[tuple[int, str], list[bytes]]:
    """Return the lines by (position, hash of the line before), the best source of each first."""
    places: dict[tuple[int, str], list[bytes]] = {}
    for line in dict.fromkeys(lines):
        try:
            places.setdefault(place_of(line, ""), []).append(line)
        except NewerFormatError:
            continue  # where it belongs cannot be said: it is known, so the plan is refused
    return places


def _chain(places: dict[tuple[int, str], list[bytes]]) -> list[bytes]:
    lines: list[bytes] = []
    previous = GENESIS
    while here := places.get((len(lines) + 1, previous)):
        lines.append(here[0])
        previous = sha256_hex(here[0])
    return lines
