"""The files of the journal: a segment is named for the first position in it; a sealed one is compressed.

Only the last segment is appended to; a sealed one is never written again, and is never empty.
"""

import contextlib
import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from engram.base.disk.bounded_gzip import TooLargeError
from engram.base.disk.bounded_gzip import unpack
from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own
from engram.errors import DamagedJournalError
from engram.store.journal import rewritten

ACTIVE = ".jsonl"
SEALED = ".jsonl.gz"
DAMAGED = "damaged-"  # begins the name of a segment that was set aside
TORN = "torn-"  # begins the name of torn bytes that were cut off
MOST_BYTES = 4 << 30  # of a segment, unpacked; a few kilobytes can stand for as many gigabytes
_TAIL_BLOCK = 65536  # bytes read at a time when looking for the last line
_GZIP_HEADER = 10  # bytes before the compressed data


def list_segments(folder: Path) -> list[Path]:
    """Return the segments in the order of their positions.

    A crash between writing the sealed copy and removing the plain one leaves both: the plain one, which sorts first,
    counts.
    """
    found: dict[int, Path] = {}
    for path in list_copies(folder):
        found.setdefault(first_position(path), path)
    return [found[position] for position in sorted(found)]


def list_copies(folder: Path) -> list[Path]:
    """Return every file that is a segment, also where two hold the same one.

    Raises DamagedJournalError where what was written anew is not what is to be put into place.
    """
    if not folder.is_dir():
        return []
    if (folder / rewritten.FOLDER / rewritten.COMPLETE).exists():  # what was forgotten must not come back
        rewritten.finish_rewriting(folder, content)
    names = (path for path in folder.iterdir() if path.name[:1].isdigit() and path.name.endswith((ACTIVE, SEALED)))
    return sorted(names)


def segment_path(folder: Path, position: int) -> Path:
    """Return the file of a segment that is appended to and begins at that position."""
    return folder / f"{position:012d}{ACTIVE}"


def is_sealed(path: Path) -> bool:
    """Tell whether the segment is compressed."""
    return path.name.endswith(".gz")


def first_position(path: Path) -> int:
    """Return the first position in a segment, as its name has it."""
    return int(path.name.split(".", 1)[0])


def content(path: Path) -> bytes:
    """Return the lines of a segment. Raises DamagedJournalError when a sealed one is empty or not whole."""
    raw = _raw(path)
    if not is_sealed(path):
        return raw
    try:
        data = unpack(raw, MOST_BYTES)
    except TooLargeError as problem:
        raise DamagedJournalError(f"{path.name}: {problem}", path=path.name) from problem
    except (EOFError, zlib.error) as problem:
        raise DamagedJournalError(f"{path.name} cannot be decompressed", path=path.name) from problem
    if not data.endswith(b"\n"):
        raise DamagedJournalError(f"{path.name} is not whole: it holds {len(data)} bytes", path=path.name)
    return data


def readable_content(path: Path) -> tuple[bytes, bool]:
    """Return what can still be read of a segment, and whether that is all of it. Each line has its own checksum."""
    try:
        raw = _raw(path)
    except DamagedJournalError:
        return b"", False
    return readable(raw, is_packed=is_sealed(path))


def _raw(path: Path) -> bytes:
    with _opened(path) as file:
        return file.read()


def _opened(path: Path) -> BinaryIO:
    """Return the file of a segment, open to be read. Raises DamagedJournalError where something else has its place."""
    try:
        return open_own_bytes(path)
    except OSError as problem:
        if path.is_file() or not os.path.lexists(path):
            raise
        raise DamagedJournalError(f"{path.name} is no file, or a link to none", path=path.name) from problem


def readable(raw: bytes, *, is_packed: bool) -> tuple[bytes, bool]:
    """Return what `readable_content` does of the bytes of a file."""
    data, is_all = _inflated(raw[_GZIP_HEADER:]) if is_packed else (raw, True)
    return data, is_all and (not data or data.endswith(b"\n")) and (bool(data) or not is_packed)


def _inflated(packed: bytes) -> tuple[bytes, bool]:
    """Return what was compressed, as far as it can be read, and whether that is up to its end."""
    engine, data = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    with contextlib.suppress(zlib.error):
        for place in range(len(packed)):  # by bytes: of a piece with an error in it nothing would come
            data += engine.decompress(packed[place : place + 1])
            if len(data) > MOST_BYTES:
                break
    return bytes(data), engine.eof


def content_tail(path: Path) -> bytes:
    """Return the last lines of a segment: three at least, if there are as many."""
    if is_sealed(path):
        return content(path)
    with _opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        wanted = _TAIL_BLOCK
        while True:
            file.seek(max(size - wanted, 0))
            data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            if wanted >= size or whole.count(b"\n") >= 3:
                return whole if wanted >= size else whole[whole.find(b"\n") + 1 :]
            wanted *= 4


def seal(path: Path) -> None:
    """Compress a segment that is full; the plain file goes when the compressed one reads back.

    One that is larger than what is unpacked stays plain.
    """
    if path.stat().st_size > MOST_BYTES:
        return
    data = read_own(path)
    sealed = path.with_name(path.name + ".gz")
    write_durably(sealed, gzip.compress(data, compresslevel=6, mtime=0))
    if unpack(read_own(sealed), MOST_BYTES) != data:
        raise DamagedJournalError(f"{sealed.name} does not read back as it was written", path=sealed.name)
    fault_point("segment-sealed")
    path.unlink()
    fsync_folder(path.parent)


def keep_aside(paths: Sequence[Path]) -> None:
    """Give segments a second name under which they stay when the first one goes; what is no file gets it alone."""
    for path in paths:
        target = path.with_name(f"{DAMAGED}{path.name}")
        while os.path.lexists(target):
            target = target.with_name(target.name + "~")
        if path.is_symlink() or not path.is_file():  # nothing can be written over a folder
            path.rename(target)
            fsync_folder(path.parent)
            continue
        try:
            os.link(path, target)
            fsync_folder(path.parent)
        except OSError:  # a file system without second names
            write_durably(target, read_own(path))
