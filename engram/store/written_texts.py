"""The texts that a workspace has written besides the journal, and people with it: where something is forgotten in them.

Looked through are `.engram/`, `life/`, `memory/`, `ops/`, `archives/`, and the Markdown files beside them. What is made
anew from the journal is left to that.
"""

import gzip
import os
import zlib
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.disk.bounded_gzip import TooLargeError
from engram.base.disk.bounded_gzip import unpack
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import LINE_MARK
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.encryption.store_cipher import is_encrypted_command

_MOST_BYTES: Final = 256 << 20  # of one file that is read
_GZIP: Final = b"\x1f\x8b"


def iter_texts(paths: Paths) -> Iterator[Path]:
    """Yield the files that may hold words, in order; no links, no locks, no segments of the journal."""
    beside = sorted(paths.root.glob("*.md"))
    for folder in (paths.state, paths.life, paths.memory, paths.ops, paths.root / "archives"):
        for place, folders, files in os.walk(folder):
            here = Path(place)
            folders[:] = sorted(name for name in folders if not (here / name).is_symlink())
            if here in {paths.locks, paths.index}:
                folders.clear()
                continue
            found = (here / name for name in sorted(files))
            yield from (path for path in found if not (here == paths.journal and path.name[:1].isdigit()))
    yield from beside


class ErasedFile(NamedTuple):
    """A file that is not as it was."""

    path: Path
    was: str  # SHA-256 of its bytes before
    now: str  # and since


def erase_in_files(paths: Iterable[Path], erase: Callable[[str], str], cipher: StoreCipher) -> list[ErasedFile]:
    """Let each file be what `erase` makes of its text, and return those that changed.

    A compressed file stays so, and an encrypted one. Bytes that are no UTF-8 stay as they are. Files that cannot be
    read are passed over: `files_with` tells.
    """
    changed = []
    for path in paths:
        raw = _content(path, cipher)
        if raw is None:
            continue
        text = raw.decode("utf-8", "surrogateescape")
        kept = erase(text)
        if kept == text:
            continue
        body = kept.encode("utf-8", "surrogateescape")
        before = read_own(path)
        after = _as_before(before, body, path.name, cipher)
        write_durably(path, after, mode=path.stat().st_mode & 0o777)
        changed.append(ErasedFile(path, sha256_hex(before), sha256_hex(after)))
    return changed


def files_with(paths: Iterable[Path], is_in: Callable[[str], bool], cipher: StoreCipher) -> list[Path]:
    """Return the files in whose bytes, unpacked and decrypted, something still stands."""
    found = []
    for path in paths:
        raw = _content(path, cipher)
        if raw is not None and is_in(raw.decode("utf-8", "surrogateescape")):
            found.append(path)
    return found


def _content(path: Path, cipher: StoreCipher) -> bytes | None:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        raw = _decrypted(read_own(path), path.name, cipher)
        raw = unpack(raw, _MOST_BYTES) if raw[:2] == _GZIP else raw
        return b"\n".join(map(cipher.decrypt_line, raw.split(b"\n"))) if LINE_MARK in raw else raw
    except (OSError, EOFError, TooLargeError, UndecryptableError, zlib.error):
        return None


def _decrypted(data: bytes, name: str, cipher: StoreCipher) -> bytes:
    return cipher.decrypt_file(cipher.decrypt_command(data, name), name)


def _as_before(before: bytes, body: bytes, name: str, cipher: StoreCipher) -> bytes:
    """Return new content in the form of the old one."""
    if is_encrypted_command(before):
        return cipher.encrypt_command(body, name)
    plain = _decrypted(before, name, cipher)
    packed = gzip.compress(body, 6, mtime=0) if plain[:2] == _GZIP else body
    return cipher.encrypt_file(packed, name) if plain != before or LINE_MARK in before else packed
