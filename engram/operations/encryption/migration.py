"""A store that is turned into an encrypted one, or back: file by file, each replaced whole, so that both may be mixed.

Every step can be done twice. Whoever is killed on the way leaves a store that reads as before, and goes on later.
"""

import gzip
import shutil
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engram.base.disk.faults import fault_point
from engram.base.disk.files import TEMPORARY
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.store.database.duck_file import TEMPORARY_FOLDER
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import ENCRYPTED_FILE
from engram.store.encryption.store_cipher import LINE_MARK
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.encryption.store_cipher import is_encrypted_command
from engram.store.encryption.store_cipher import is_encrypted_line
from engram.store.journal import segments
from engram.store.journal.rewritten import FOLDER

_WRITTEN_S: Final = 10.0  # after which a command is not being written any more
_PROJECTIONS: Final = ("engram.duckdb*", TEMPORARY_FOLDER, "index", "indexed-notes.json", "cache")


class Migration:
    """What is converted of one store, under its lock."""

    def __init__(self, paths: Paths, cipher: StoreCipher) -> None:
        """Take the layout, and the cipher that converts."""
        self._paths = paths
        self._cipher = cipher

    def encrypt(self) -> int:
        """Encrypt what is covered and in the clear; return how many files were written anew."""
        done = self._convert(self._encrypted_segment, self._encrypted_command, self._cipher.encrypt_file)
        for path in torn_writes_in(self._paths):
            path.unlink(missing_ok=True)
        return done

    def decrypt(self) -> int:
        """Put what is covered into the clear; return how many files were written anew.

        Raises DamagedStateError for a file that cannot be decrypted: it would be lost with the key.
        """
        return self._convert(self._decrypted_segment, self._decrypted_command, self._decrypted_file)

    def remove_projections(self) -> None:
        """Remove from the disk what is made anew from the journal."""
        for pattern in _PROJECTIONS:
            for path in self._paths.state.glob(pattern):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
        fsync_folder(self._paths.state)

    # -- inside

    def _convert(
        self,
        segment: Callable[[bytes, int], bytes],
        command: Callable[[bytes, str], bytes],
        whole: Callable[[bytes, str], bytes],
    ) -> int:
        shutil.rmtree(self._paths.journal / FOLDER, ignore_errors=True)  # what a forgetting left half done
        done = 0
        for path in segments.list_copies(self._paths.journal):
            before = segments.content(path)
            done += _replace(path, segment(before, segments.first_position(path)), before)
        for path in commands_in(self._paths):
            done += self._replace_whole(path, command)
        for path in whole_files_in(self._paths):
            done += self._replace_whole(path, whole)
        return done

    def _replace_whole(self, path: Path, change: Callable[[bytes, str], bytes]) -> int:
        try:
            before = read_own(path)
        except FileNotFoundError:  # a result that somebody fetched
            return 0
        after = change(before, path.name)
        if after == before:
            return 0
        write_durably(path, after, mode=path.stat().st_mode & 0o777)
        fault_point("file-converted")
        return 1

    def _encrypted_segment(self, content: bytes, first: int) -> bytes:
        lines = content.split(b"\n")
        for place, line in enumerate(lines[:-1]):
            if not is_encrypted_line(line):
                (lines[place],) = self._cipher.encrypt_lines([line], first + place)
        return b"\n".join(lines)

    def _decrypted_segment(self, content: bytes, _first: int) -> bytes:
        try:
            return b"\n".join(map(self._cipher.decrypt_line, content.split(b"\n")))
        except UndecryptableError as problem:
            raise DamagedStateError("a segment of the journal holds a line that cannot be decrypted") from problem

    def _encrypted_command(self, data: bytes, name: str) -> bytes:
        return data if is_encrypted_command(data) else self._cipher.encrypt_command(data, name)

    def _decrypted_command(self, data: bytes, name: str) -> bytes:
        try:
            return self._cipher.decrypt_command(data, name)
        except UndecryptableError as problem:
            raise _undecryptable(name) from problem

    def _decrypted_file(self, data: bytes, name: str) -> bytes:
        try:
            data = self._cipher.decrypt_file(data, name)
        except UndecryptableError as problem:
            raise _undecryptable(name) from problem
        if not name.startswith((segments.DAMAGED, segments.TORN)) or LINE_MARK not in data:
            return data
        return b"\n".join(map(self._cipher.decrypt_line, data.split(b"\n")))  # set aside when they were encrypted


def commands_in(paths: Paths) -> list[Path]:
    """Return the files of commands, those that were set aside too."""
    folders = (paths.spool, paths.spool / "rejected", paths.spool / "newer")
    return [path for folder in folders for path in sorted(folder.glob("*.json")) if not path.name.startswith(TEMPORARY)]


def whole_files_in(paths: Paths) -> list[Path]:
    """Return the other files that are encrypted as a whole."""
    found = [*_files_in(paths.spool / "results", "*.json"), *_files_in(paths.spool / "rejected", "*.reason.txt")]
    found += [path for path in _files_in(paths.journal, "*") if path.name.startswith((segments.DAMAGED, segments.TORN))]
    return [*found, *_files_in(paths.edits, "*"), *_files_in(paths.state, paths.cards.name)]


def torn_writes_in(paths: Paths) -> list[Path]:
    """Return what writes that were killed have left half done; in the spool others may be at it, without a lock."""
    folders = (paths.journal, paths.edits, paths.life, paths.ops)
    found = [path for folder in folders for path in sorted(folder.rglob(f"{TEMPORARY}*")) if path.is_file()]
    limit = time.time() - _WRITTEN_S
    spooled = (path for path in sorted(paths.spool.rglob(f"{TEMPORARY}*")) if path.is_file())
    return [*found, *(path for path in spooled if _changed_at(path) < limit)]


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def files_in_the_clear(paths: Paths) -> list[Path]:
    """Return the files that an encrypted store should not have: covered, and in the clear. Reads them all."""
    found = [path for path in segments.list_copies(paths.journal) if not _is_encrypted_segment(path)]
    found += [path for path in commands_in(paths) if not is_encrypted_command(read_own(path))]
    found += [path for path in whole_files_in(paths) if not _is_encrypted_file(path)]
    found += torn_writes_in(paths)
    return [*found, *(path for pattern in _PROJECTIONS for path in sorted(paths.state.glob(pattern)))]


def files_encrypted(paths: Paths) -> list[Path]:
    """Return the files that are encrypted, wholly or in part. Reads them all."""
    found = [path for path in segments.list_copies(paths.journal) if LINE_MARK in segments.content(path)]
    found += [path for path in commands_in(paths) if is_encrypted_command(read_own(path))]
    return [*found, *(path for path in whole_files_in(paths) if read_own(path).startswith(ENCRYPTED_FILE))]


def _is_encrypted_segment(path: Path) -> bool:
    return all(map(is_encrypted_line, segments.content(path).split(b"\n")[:-1]))


def _is_encrypted_file(path: Path) -> bool:
    """Tell whether a file is encrypted: as a whole, or because what was cut off the journal was."""
    data = read_own(path)
    if data.startswith(ENCRYPTED_FILE) or not path.name.startswith((segments.DAMAGED, segments.TORN)):
        return data.startswith(ENCRYPTED_FILE)
    lines, _ = segments.readable(data, is_packed=segments.is_sealed(path))
    return all(is_encrypted_line(line) for line in lines.split(b"\n") if line)


def _files_in(folder: Path, pattern: str) -> Iterator[Path]:
    for path in sorted(folder.glob(pattern)):
        if path.is_file() and not path.is_symlink() and not path.name.startswith(TEMPORARY):
            yield path


def _replace(path: Path, after: bytes, before: bytes) -> int:
    if after == before:
        return 0
    write_durably(path, gzip.compress(after, 6, mtime=0) if segments.is_sealed(path) else after)
    fault_point("segment-converted")
    return 1


def _undecryptable(name: str) -> DamagedStateError:
    return DamagedStateError(
        f"{name} cannot be decrypted, and would be lost with the key",
        hint="move it out of .engram, then run the command again",
    )
