"""The files of one domain: read without following links, appended to in one write, rotated by renaming.

Nothing is deleted: a full changelog becomes an archive, and what a command would overwrite is kept beside it.
"""

import datetime as dt
import errno
from pathlib import Path

from engram.base.clock import to_iso
from engram.base.disk.faults import fault_point
from engram.base.text import sha256_hex
from engram.errors import MalformedInputError
from engram.errors import RefusedError
from engram.errors import link_refused
from engram.model.domain import DomainFile
from engram.model.domain import FileBase
from engram.ports.text_files import TextFiles
from engram.rules.domain import FileState

CHANGELOG_LINES = 1000  # from which a changelog is moved into the archives and begun anew
MAX_FILE_BYTES = 8 * 1024 * 1024  # of one file of a domain; more is no text that an agent reads
_TITLES = {
    DomainFile.DECISIONS: "Decisions",
    DomainFile.WORKFLOW: "Workflow",
    DomainFile.STATUS: "Status",
    DomainFile.CHANGELOG: "Changelog",
}


class DomainFolder:
    """The folder of one domain in memory/domains/."""

    def __init__(self, files: TextFiles, name: str) -> None:
        """Take the files among which the domain lies, and its name, a slug."""
        self.path = files.paths.domains / name
        self.archives = self.path / "archives"
        self._files = files

    def ensure(self) -> list[str]:
        """Make the folder and the files that are missing, and return their paths as people read them."""
        self._refuse_links()
        self._files.make_folder(self.archives)
        return [self.written(file) for file in DomainFile if self._begin(file)]

    def written(self, file: DomainFile) -> str:
        """Return the path of a file as people read it."""
        return self._files.paths.relative(self.path / file.value)

    def read(self, file: DomainFile) -> bytes | None:
        """Return the bytes of a file, None when it is not there.

        Raises RefusedError for a link and for what is no file, MalformedInputError for one that is too large.
        """
        return self._read(self.path / file.value)

    def text(self, file: DomainFile) -> str:
        """Return the text of a file, empty when it is not there; bytes that are no UTF-8 are replaced."""
        return (self.read(file) or b"").decode("utf-8-sig", errors="replace")

    def base(self, file: DomainFile) -> FileBase | None:
        """Return what a file is now, for comparing later; None when it is not there."""
        data = self.read(file)
        return None if data is None else _base_of(data)

    def state(self, file: DomainFile, base: FileBase | None) -> FileState:
        """Return what became of a file since its base."""
        data = self.read(file)
        now = None if data is None else _base_of(data)
        if base is None or now == base:
            return FileState(base, now, continues=True)
        if data is not None and _begins_with(data, base):
            return FileState(base, now, continues=True, added=_decoded(data[base.size :]))
        archived = self._last_archive() if file == DomainFile.CHANGELOG else None
        if archived is not None and _begins_with(archived, base):
            rest = _decoded(archived[base.size :] + (data or b""))
            return FileState(base, now or _base_of(b""), continues=True, added=rest)
        return FileState(base, now, continues=False, added=_decoded(data or b""))

    def append(self, file: DomainFile, block: str) -> None:
        """Append whole lines to a file; when this returns, they survive a crash."""
        self._refuse_links()
        self.ensure()
        self.read(file)  # refuses what must not be written to
        with self._files.appending(self.path / file.value) as held:
            before = b"" if held.is_new else held.read()
            begin = f"# {_TITLES[file]}\n" if held.is_new else "" if before.endswith(b"\n") else "\n"
            fault_point("before-append")
            held.append(f"{begin}{block}\n".encode())
        fault_point("after-append")

    def replace(self, file: DomainFile, text: str, *, base: FileBase | None, now: dt.datetime) -> str | None:
        """Write a file anew; what a person wrote into it since its base is kept, and the path of that returned."""
        before = self.read(file)
        self.ensure()
        kept = None
        if before is not None and base is not None and _base_of(before) != base:
            place = self._free(f"{Path(file.value).stem}-{to_iso(now)[:10]}")
            self._files.write(place, before)
            kept = self._files.paths.relative(place)
        self._files.write(self.path / file.value, f"# {_TITLES[file]}\n\n{text}\n".encode())
        return kept

    def has_full_changelog(self) -> bool:
        """Tell whether the changelog has so many lines that it is to be moved into the archives."""
        return self.text(DomainFile.CHANGELOG).count("\n") >= CHANGELOG_LINES

    def rotate(self) -> str | None:
        """Move a changelog of `CHANGELOG_LINES` or more into the archives, begin a new one, return the archive's path.

        By renaming: whoever is writing to the old file writes into the archive, and no line is lost.
        """
        data = self.read(DomainFile.CHANGELOG)
        self._refuse_links()
        if data is None and self._last_archive() is not None:
            self._begin(DomainFile.CHANGELOG)  # a rotation died before it did
        if data is None or data.count(b"\n") < CHANGELOG_LINES:
            return None
        self._files.make_folder(self.archives)
        place = self._free("changelog")
        self._files.move(self.path / DomainFile.CHANGELOG.value, place)
        fault_point("changelog-moved")
        self.ensure()
        return self._files.paths.relative(place)

    # -- inside

    def _begin(self, file: DomainFile) -> bool:
        """Make a file with its title unless it is there; tell whether it was made."""
        return self._files.begin(self.path / file.value, f"# {_TITLES[file]}\n".encode())

    def _read(self, path: Path) -> bytes | None:
        self._refuse_links()
        shown = self._files.paths.relative(path)
        try:
            # As it is just now: agents may be writing to it all the while.
            return self._files.read_within(path, MAX_FILE_BYTES, at_rest=False)
        except FileNotFoundError:
            return None
        except OSError as problem:
            match problem.errno:
                case errno.ELOOP:
                    raise link_refused(shown) from problem
                case errno.EINVAL:
                    raise RefusedError(f"{shown} is not a file", hint="move it away") from problem
                case errno.EFBIG:
                    larger = f"{shown} is larger than {MAX_FILE_BYTES >> 20} MiB"
                    raise MalformedInputError(larger, hint="split it") from problem
            raise

    def _refuse_links(self) -> None:
        paths = self._files.paths
        self._files.refuse_links(paths.memory, paths.domains, self.path, self.archives)

    def _last_archive(self) -> bytes | None:
        newest = max(self._numbers("changelog"), default=None)
        return None if newest is None else self._read(newest[1])

    def _free(self, stem: str) -> Path:
        """Return a name in the archives after all those of the same stem, also where one of them was moved away."""
        last, _ = max(self._numbers(stem), default=(0, None))
        return self.archives / f"{stem}-{last + 1:04d}.md"

    def _numbers(self, stem: str) -> list[tuple[int, Path]]:
        beside = (path for path in self._files.notes_in(self.archives) if path.name.startswith(f"{stem}-"))
        named = ((path.stem.removeprefix(f"{stem}-"), path) for path in beside)
        return [(int(number), path) for number, path in named if number.isdecimal() and number.isascii()]


def _base_of(data: bytes) -> FileBase:
    return FileBase(size=len(data), sha256=sha256_hex(data))


def _begins_with(data: bytes, base: FileBase) -> bool:
    return len(data) >= base.size and sha256_hex(data[: base.size]) == base.sha256


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
