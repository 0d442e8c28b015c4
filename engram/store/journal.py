"""The journal as files: one record a line, each line with a CRC, each record with the hash of the line before it.

Invariant: reading all segments in order gives positions 1, 2, 3, ... with an unbroken chain. A segment is named for the
first position in it. Only the last one is appended to; a sealed one is compressed and never written again.

A line is `<crc32 of the JSON, 8 hexadecimal digits> <JSON>\n`; its hash is the SHA-256 of the line without the newline.
"""

import gzip
import os
import zlib
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.faults import fault_point
from engram.base.files import fsync_folder
from engram.base.files import write_durably
from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.model.change import GENESIS
from engram.model.change import RECORD_ADAPTER
from engram.model.change import Record

_ACTIVE = ".jsonl"
_SEALED = ".jsonl.gz"
_TAIL_BLOCK = 65536  # bytes read at a time when looking for the last line


class Torn(NamedTuple):
    """Bytes at the end of the active segment that are no whole record."""

    path: Path
    offset: int  # first torn byte
    data: bytes


class FileJournal:
    """`ports.journal.Journal` over a folder of segments."""

    def __init__(self, folder: Path, *, segment_bytes: int) -> None:
        """Take the folder and the size from which a segment is sealed."""
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._head = (0, GENESIS)  # the last line that was read or written here: a record may be megabytes long

    def head(self) -> tuple[int, str]:
        """Return the position and hash of the last whole record; (0, 64 zeros) when there is none.

        A torn tail is passed over, not mended: `cut_torn_tail` does that. Raises DamagedJournalError when the last
        whole line does not read.
        """
        for path in reversed(self._segments()):
            line = _last_line(_content_tail(path))
            if line is not None:
                if (mark := sha256_hex(line)) != self._head[1]:
                    self._head = self._decode(line, path).position, mark
                return self._head
        return 0, GENESIS

    def encode(self, record: Record) -> bytes:
        """See the port: `<crc32> <JSON>`. Absent values are left out."""
        body = record.model_dump_json(exclude_none=True).encode()
        return f"{zlib.crc32(body):08x} ".encode() + body

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """Append records durably and return their lines. The caller made them continue the chain."""
        lines = [self.encode(record) for record in records]
        for line, record in zip(lines, records, strict=True):
            if self._decode(line, self._folder) != record:  # never write what cannot be read back
                raise DamagedJournalError(f"record {record.position} does not read back as it was decided")
        if lines:
            self._append_lines(lines, records[0].position)
            self._head = records[-1].position, sha256_hex(lines[-1])
        return lines

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """Yield (record, line) with position > after; see the port. A torn tail ends the reading silently."""
        segments = self._segments()
        begin = max((place for place, path in enumerate(segments) if _first_position(path) <= after + 1), default=0)
        position, previous = 0, ""
        for place, path in enumerate(segments[begin:], begin):
            if position and _first_position(path) != position + 1:
                raise _chain_broken(path, position + 1)
            position = _first_position(path) - 1
            for line in self._lines(path, last=place == len(segments) - 1):
                position += 1
                if position > after:
                    record = self._decode(line, path)
                    expected = GENESIS if position == 1 else previous or record.previous
                    if record.position != position or record.previous != expected:
                        raise _chain_broken(path, position)
                    yield record, line
                if position >= after:  # of what is passed over only the last line's hash is needed
                    previous = sha256_hex(line)

    def torn_tail(self) -> Torn | None:
        """Return the bytes at the end that are no whole record (no newline, or a last line that fails its CRC)."""
        segments = self._segments()
        if not segments or segments[-1].name.endswith(_SEALED):
            return None
        data = segments[-1].read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            return Torn(segments[-1], whole, data[whole:])
        begin = data.rfind(b"\n", 0, max(whole - 1, 0)) + 1
        if whole and not _crc_holds(data[begin : whole - 1]):
            return Torn(segments[-1], begin, data[begin:])
        return None

    def cut_torn_tail(self) -> Torn | None:
        """Cut the torn tail off, keep its bytes as `torn-<position>` beside the journal, and return what was cut."""
        torn = self.torn_tail()
        while (more := self.torn_tail()) is not None:
            write_durably(self._folder / f"torn-{more.path.name}-{more.offset}", more.data)
            with more.path.open("r+b") as file:
                file.truncate(more.offset)
                os.fsync(file.fileno())
        return torn

    def restore_lines(self, lines: Sequence[tuple[int, bytes]]) -> int:
        """Append known lines (position, line) that continue the chain where it ends; return how many were."""
        self.cut_torn_tail()
        head, previous = self.head()
        fitting: list[bytes] = []
        for position, line in sorted(lines):
            if position != head + len(fitting) + 1:
                continue
            if self._decode(line, self._folder).previous != previous:
                break
            fitting.append(line)
            previous = sha256_hex(line)
        if fitting:
            self._append_lines(fitting, head + 1)
        return len(fitting)

    def cut_before_damage(self) -> int:
        """Set aside everything from the first unreadable line on, and return the last good position.

        The damaged segment and those after it are kept under `damaged-*` names; nothing is deleted. Used only by
        `doctor --fix`, which then puts back what the database still knows.
        """
        good, last_good = b"", 0
        segments = self._segments()
        for place, path in enumerate(segments):
            lines: list[bytes] = []
            try:
                for line in self._lines(path, last=place == len(segments) - 1):
                    record = self._decode(line, path)
                    if record.position != last_good + 1:
                        break
                    lines.append(line)
                    last_good = record.position
                else:
                    continue
            except DamagedJournalError:
                pass
            good = b"".join(line + b"\n" for line in lines)
            self._set_aside(segments[place:])
            if good:
                write_durably(self._folder / f"{_first_position(path):012d}{_ACTIVE}", good)
            return last_good
        return last_good

    def _append_lines(self, lines: Sequence[bytes], first: int) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._active(first)
        fresh = not path.exists()
        fault_point("before-journal")
        with path.open("ab", buffering=0) as out:
            os.fchmod(out.fileno(), 0o600)
            _write_all(out.fileno(), b"".join(line + b"\n" for line in lines))
            fault_point("journal-written")
            os.fsync(out.fileno())
        if fresh:
            fsync_folder(self._folder)
        fault_point("after-journal")

    def _set_aside(self, paths: Sequence[Path]) -> None:
        for path in paths:
            target = path.with_name(f"damaged-{path.name}")
            while target.exists():
                target = target.with_name(target.name + "~")
            path.replace(target)

    def segments(self) -> list[Path]:
        """Return the files of the journal, in the order of their positions."""
        return self._segments()

    def _segments(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        if (self._folder / "rewriting" / "complete").exists():  # what was forgotten must not come back
            from engram.store.journal_rewrite import finish_rewriting  # noqa: PLC0415 - after a crash only

            finish_rewriting(self._folder)
        found: dict[int, Path] = {}
        for path in sorted(self._folder.iterdir()):
            if path.name[:1].isdigit() and path.name.endswith((_ACTIVE, _SEALED)):
                # A crash between writing the sealed copy and removing the plain one leaves both: the plain one, which
                # sorts first, counts.
                found.setdefault(_first_position(path), path)
        return [found[position] for position in sorted(found)]

    def _active(self, position: int) -> Path:
        segments = self._segments()
        if segments and segments[-1].name.endswith(_ACTIVE):
            if segments[-1].stat().st_size < self._segment_bytes:
                return segments[-1]
            self._seal(segments[-1])
        return self._folder / f"{position:012d}{_ACTIVE}"

    def _seal(self, path: Path) -> None:
        data = path.read_bytes()
        sealed = path.with_name(path.name + ".gz")
        write_durably(sealed, gzip.compress(data, compresslevel=6, mtime=0))
        if gzip.decompress(sealed.read_bytes()) != data:
            raise DamagedJournalError(f"{sealed.name} does not read back as it was written", path=sealed.name)
        fault_point("segment-sealed")
        path.unlink()
        fsync_folder(self._folder)

    def _lines(self, path: Path, *, last: bool) -> Iterator[bytes]:
        data = _content(path)
        end = data.rfind(b"\n") + 1
        if end < len(data) and not last:
            raise DamagedJournalError(f"{path.name} ends in the middle of a record", path=path.name)
        lines = data[:end].split(b"\n")[:-1]
        for place, line in enumerate(lines, 1):
            if last and place == len(lines) and not _crc_holds(line):
                return  # the torn tail: see torn_tail
            yield line

    def _decode(self, line: bytes, path: Path) -> Record:
        if not _crc_holds(line):
            raise DamagedJournalError(f"{path.name} holds a line whose checksum is wrong", path=path.name)
        try:
            return RECORD_ADAPTER.validate_json(line[9:])
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            raise DamagedJournalError(
                f"{path.name} holds a record that this version does not read: {first['loc']}: {first['msg']}",
                path=path.name,
            ) from problem


def _chain_broken(path: Path, position: int) -> DamagedJournalError:
    return DamagedJournalError(
        f"{path.name}: the chain of the journal breaks at position {position}", path=path.name, position=position
    )


def _crc_holds(line: bytes) -> bool:
    try:
        stated = int(line[:8], 16)
    except ValueError:
        return False
    return line[8:9] == b" " and stated == zlib.crc32(line[9:])


def _first_position(path: Path) -> int:
    return int(path.name.split(".", 1)[0])


def _content(path: Path) -> bytes:
    raw = path.read_bytes()
    if not path.name.endswith(_SEALED):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as problem:
        raise DamagedJournalError(f"{path.name} cannot be decompressed", path=path.name) from problem


def _content_tail(path: Path) -> bytes:
    if path.name.endswith(_SEALED):
        return _content(path)
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        wanted = _TAIL_BLOCK
        while True:
            file.seek(max(size - wanted, 0))
            data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            if wanted >= size or whole.count(b"\n") >= 3:
                return whole if wanted >= size else whole[whole.find(b"\n") + 1 :]
            wanted *= 4


def _last_line(data: bytes) -> bytes | None:
    lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
    if lines and not _crc_holds(lines[-1]):
        lines.pop()
    return lines[-1] if lines else None


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
