"""The journal as files: one record a line, each line with a CRC, each record with the hash of the line before it.

Invariant: reading all segments in order gives positions 1, 2, 3, ... with an unbroken chain. A segment is named for the
first position in it. Only the last one is appended to; a sealed one is compressed and never written again.

The hash of a line is the SHA-256 of the line without the newline. In an encrypted store a line stands in the file as
`StoreCipher` writes it; hashes, and whatever is given out here, are of the line as it was before.
"""

import os
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.base.disk.files import append
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import restrict
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.journal import salvage
from engram.store.journal import segments
from engram.store.journal.continuation import continuing_lines
from engram.store.journal.line import crc_holds
from engram.store.journal.line import decode_line
from engram.store.journal.line import encode_line
from engram.store.journal.line import is_torn
from engram.store.journal.line import place_of
from engram.store.journal.rewrite import rewrite_journal


class Torn(NamedTuple):
    """Bytes at the end of the active segment that are no whole record."""

    path: Path
    offset: int  # first torn byte
    data: bytes


class FileJournal:
    """`ports.journal.Journal` over a folder of segments."""

    def __init__(self, folder: Path, *, segment_bytes: int, prepare: Callable[[], object] = lambda: None) -> None:
        """Take the folder, the size from which a segment is sealed, and what is done before anything is appended."""
        self._prepare = prepare
        self._folder = folder
        self._cipher = StoreCipher.beside(folder)
        self._segment_bytes = segment_bytes
        self._head = (0, GENESIS)  # the last line that was read or written here: a record may be megabytes long

    def head(self) -> tuple[int, str]:
        """Return the position and hash of the last whole record; (0, 64 zeros) when there is none.

        A torn tail is passed over, not mended: `cut_torn_tail` does that. The record may be one that a newer Engram
        wrote. Raises DamagedJournalError when the last line was whole once and does not read.
        """
        for path in reversed(segments.list_segments(self._folder)):
            line = _last_line(segments.content_tail(path), path)
            if line is not None:
                line = self._decrypted(line, path)
                if (mark := sha256_hex(line)) != self._head[1]:
                    self._head = place_of(line, path.name)[0], mark
                return self._head
        return 0, GENESIS

    def encode(self, record: Record) -> bytes:
        """See the port."""
        return encode_line(record)

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """Append records durably and return their lines; see the port."""
        lines = continuing_lines(records, self.head() if records else self._head)
        for line, record in zip(lines, records, strict=True):
            if decode_line(line, self._folder.name) != record:  # never write what cannot be read back
                raise DamagedJournalError(f"record {record.position} does not read back as it was decided")
        if lines:
            self._append_lines(lines, records[0].position)
            self._head = records[-1].position, sha256_hex(lines[-1])
        return lines

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """Yield (record, line) with position > after; see the port. A torn tail ends the reading silently."""
        paths = segments.list_segments(self._folder)
        begin = max((at for at, path in enumerate(paths) if segments.first_position(path) <= after + 1), default=0)
        position, previous = -1, ""  # of the last line that was passed
        for place, path in enumerate(paths[begin:], begin):
            first = segments.first_position(path)
            if first > after + 1 if position < 0 else first != position + 1:
                raise _chain_broken(path, after + 1 if position < 0 else position + 1)
            position = first - 1
            for line in self._lines(path, last=place == len(paths) - 1):
                position += 1
                if position >= after:
                    line = self._decrypted(line, path)  # noqa: PLW2901 - what stands there
                if position > after:
                    record = decode_line(line, path.name)
                    expected = GENESIS if position == 1 else previous or record.previous
                    if record.position != position or record.previous != expected:
                        raise _chain_broken(path, position)
                    yield record, line
                if position >= after:  # of what is passed over only the last line's hash is needed
                    previous = sha256_hex(line)

    def torn_tail(self) -> Torn | None:
        """Return the bytes at the end that are no whole record: without a newline, or cut short by a crash."""
        paths = segments.list_segments(self._folder)
        if not paths or segments.is_sealed(paths[-1]) or not paths[-1].is_file():
            return None
        data = read_own(paths[-1])
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            return Torn(paths[-1], whole, data[whole:])
        begin = data.rfind(b"\n", 0, max(whole - 1, 0)) + 1
        line = data[begin : whole - 1]
        if whole and not crc_holds(line) and is_torn(line):
            return Torn(paths[-1], begin, data[begin:])
        return None

    def cut_torn_tail(self) -> Torn | None:
        """Cut the torn tail off, keep its bytes as `torn-<position>` beside the journal, and return what was cut."""
        torn = self.torn_tail()
        while (more := self.torn_tail()) is not None:
            write_durably(self._folder / f"{segments.TORN}{more.path.name}-{more.offset}", more.data)
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
            if decode_line(line, self._folder.name).previous != previous:
                break
            fitting.append(line)
            previous = sha256_hex(line)
        if fitting:
            self._append_lines(fitting, head + 1)
        return len(fitting)

    def rewrite(self, change: Callable[[Record], Record]) -> int:
        """Replace every record by what `change` makes of it and return how many changed; see `rewrite_journal`."""
        return rewrite_journal(self._folder, self, change)

    def plan_repair(self, known: Sequence[bytes] = ()) -> salvage.Repair:
        """Return what would make the journal whole again, of its own lines and of those that are `known` elsewhere."""
        return salvage.plan_repair(self._folder, known, self._cipher)

    def repair(self, known: Sequence[bytes] = ()) -> int:
        """Carry out what `plan_repair` says and return how many lines were put back.

        Raises DamagedJournalError, and changes nothing, when the plan is refused.
        """
        before = self.plan_repair(known)
        if before.refusal:
            raise DamagedJournalError(before.refusal, hint=salvage.BACKUP)
        self.cut_torn_tail()
        restored = salvage.carry_out(self._folder, self.plan_repair(known), self._cipher)
        if not before.known <= set(self._raw_lines()):  # what was known before is known afterwards
            raise DamagedJournalError("the journal does not hold what it held before its repair", hint=salvage.BACKUP)
        return restored

    def content_of(self, lines: Sequence[bytes], first: int) -> bytes:
        """Return what stands in a file for lines of positions from `first` on."""
        return b"".join(line + b"\n" for line in self._cipher.encrypt_lines(lines, first))

    def segments(self) -> list[Path]:
        """Return the files of the journal, in the order of their positions."""
        return segments.list_segments(self._folder)

    def _raw_lines(self) -> Iterator[bytes]:
        for path in segments.list_segments(self._folder):
            for line in segments.content(path).split(b"\n")[:-1]:
                yield self._decrypted(line, path)

    def _decrypted(self, line: bytes, path: Path) -> bytes:
        try:
            return self._cipher.decrypt_line(line)
        except UndecryptableError as problem:
            raise DamagedJournalError(
                f"{path.name} holds a line that cannot be decrypted: it was changed, or moved here", path=path.name
            ) from problem

    def _append_lines(self, lines: Sequence[bytes], first: int) -> None:
        self._prepare()
        make_folder(self._folder)
        path = self._active(first)
        fresh = not path.exists()
        content = self.content_of(lines, first)
        fault_point("before-journal")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NOFOLLOW
        with os.fdopen(open_own(path, flags), "ab", buffering=0) as out:
            restrict(out.fileno(), 0o600)
            append(out.fileno(), content)
        if fresh:
            fsync_folder(self._folder)
        fault_point("after-journal")

    def _active(self, position: int) -> Path:
        paths = segments.list_segments(self._folder)
        if paths and not segments.is_sealed(paths[-1]):
            if paths[-1].stat().st_size < self._segment_bytes:
                return paths[-1]
            segments.seal(paths[-1])
        return segments.segment_path(self._folder, position)

    def _lines(self, path: Path, *, last: bool) -> Iterator[bytes]:
        data = segments.content(path)
        end = data.rfind(b"\n") + 1
        if end < len(data) and not last:
            raise DamagedJournalError(f"{path.name} ends in the middle of a record", path=path.name)
        begin = 0
        while begin < end:  # a line at a time: all of them would take the memory of the segment once more
            stop = data.index(b"\n", begin)
            line = data[begin:stop]
            begin = stop + 1
            if last and begin == end and not crc_holds(line) and is_torn(line):
                return  # the torn tail: see torn_tail
            yield line


def _chain_broken(path: Path, position: int) -> DamagedJournalError:
    return DamagedJournalError(
        f"{path.name}: the chain of the journal breaks at position {position}", path=path.name, position=position
    )


def _last_line(data: bytes, path: Path) -> bytes | None:
    lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
    if lines and not crc_holds(lines[-1]) and is_torn(lines[-1]):
        lines.pop()
    if lines and not crc_holds(lines[-1]):
        raise DamagedJournalError(f"{path.name} ends in a line whose checksum is wrong", path=path.name)
    return lines[-1] if lines else None
