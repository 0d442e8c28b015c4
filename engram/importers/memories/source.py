"""The files of a source: read once, never through a link that leads out of the folder that was named."""

import os
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.given_files import open_given
from engram.errors import MalformedInputError
from engram.importers.memories.items import Format
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile

MAX_FILE_BYTES = 256 << 20  # of one file; what is larger is no memory of statements
_MAX_FILES = 200_000  # below one folder; more is somebody's whole disk


def read_source(path: Path, form: Format) -> Iterator[SourceFile | Remark]:
    """Yield the files that the format wants, by name, and a remark for each that cannot be read.

    Raises MalformedInputError when the path itself cannot be read, or when nothing below it is of the format.
    """
    if path.is_file():
        yield _read(path, path.name)
        belonging = (path.with_name(path.name + ending) for ending in form.beside)
        yield from (_read(file, file.name) for file in belonging if file.is_file())
        return
    if not path.is_dir():
        raise _unreadable(path)
    count = 0
    for file in _walk(path, form):
        name = file.relative_to(path).as_posix()
        if not form.wants(name):
            continue
        count += 1
        if count > _MAX_FILES:
            raise MalformedInputError(f"{path} holds more than {_MAX_FILES} files", hint="name the memory's own folder")
        yield _read(file, name, inside=path)
    if not count:
        raise MalformedInputError(f"nothing below {path} is of this format", hint="engram import --help")


def _unreadable(path: Path) -> MalformedInputError:
    hint = "check the name; nothing was imported"
    try:
        open_given(path, takes_pipes=False).close()
    except FileNotFoundError:
        return MalformedInputError(f"there is no file or folder {path}", hint=hint)
    except OSError as problem:
        return MalformedInputError(f"cannot read {path}: {problem.strerror or problem}", hint=hint)
    return MalformedInputError(f"{path} came to be only now", hint="import it again")


def _walk(root: Path, form: Format) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") or name in form.folders)
        yield from (Path(folder, name) for name in sorted(files))


def _read(file: Path, name: str, inside: Path | None = None) -> SourceFile | Remark:
    shown = os.fsencode(name).decode("utf-8", "replace")
    if inside is not None and not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(inside)):
        return Remark(shown, "", "it is a link that leads out of the folder")
    try:
        with open_given(file, takes_pipes=False) as opened:
            if os.fstat(opened.fileno()).st_size > MAX_FILE_BYTES:
                return Remark(shown, "", f"it is larger than {MAX_FILE_BYTES >> 20} MiB")
            return SourceFile(shown, opened.read(MAX_FILE_BYTES))
    except OSError as problem:
        return Remark(shown, "", f"it cannot be read: {problem.strerror or problem}")
