"""One file being captured: opened, recognised, and read from where the last capture left it."""

import datetime as dt
import errno
import io
import os
import stat
import sys
from collections.abc import Collection
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from typing import NamedTuple

from engram.base.disk.given_files import open_given
from engram.base.disk.given_files import refuse_endless
from engram.base.project import Project
from engram.base.project import find_project
from engram.errors import MalformedInputError
from engram.importers.transcripts.formats import AUTO
from engram.importers.transcripts.formats import LINE_FORMATS
from engram.importers.transcripts.formats import read_document
from engram.importers.transcripts.formats import recognise
from engram.importers.transcripts.reader import FOLDER
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.remembered import Mark
from engram.importers.transcripts.remembered import tail_of
from engram.importers.transcripts.streams import Lines
from engram.services.extract.turn_commands import BadLine
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import is_too_old

STDIN = "-"
_MOST_STREAMED = 256 << 20  # bytes of what is no file, and so is held as a whole


class Choices(NamedTuple):
    """What the user chose for all files."""

    file_format: str
    session: str | None
    since: dt.datetime | None
    zone: dt.tzinfo
    own_agent: str = ""  # that owns the workspace


class FileReport(NamedTuple):
    """What one file held."""

    path: str
    format: str
    turns: int  # turns read, now and before, before known ones are left out
    too_old: int  # turns before --since
    torn: bool  # the last line is still being written and waits
    unchanged: bool  # since it was captured last: it was not read again
    left_out: dict[str, int]  # by kind: what nobody said, or said to nobody here
    bad: list[BadLine]


class CapturedFile:
    """A file and what its capture needs; `turns` is read once, then `report` and `mark` say what came of it."""

    def __init__(self, name: str, choices: Choices, mark: Mark | None, known_sessions: Collection[str]) -> None:
        """Take a file's name, `-` for standard input, and what is remembered about it."""
        self.name = name
        self._choices = choices
        self._known_sessions = known_sessions
        self._read = self._too_old = self._remembered = 0
        self._format = choices.file_format
        self._lines: Lines | None = None
        self._source = self._source_from(None)
        self._old = mark if mark and self._suits(mark) else None
        self._status: os.stat_result | None = None
        self._tail = ""
        self._unchanged = False
        self._projects: dict[str | None, Project | None] = {}  # by folder: to look for one costs a walk

    def turns(self) -> Iterator[RawTurn]:
        """Yield the turns that were not read before, without those that are too old."""
        try:
            if self.name == STDIN:
                yield from self._turns_of(_ended(sys.stdin.buffer))
            else:
                yield from self._turns_on_disk()
        except OSError as problem:  # such as a file that went away meanwhile
            self._source.note("", f"cannot be read: {problem.strerror or problem}")
            self._status = None

    def _turns_on_disk(self) -> Iterator[RawTurn]:
        self._status = os.stat(self.name)  # noqa: PTH116 - the same as `Path.stat`, and what a mark is compared with
        if self._old is not None and self._old.is_of(self._status):
            self._unchanged = True
            return
        with open_given(self.name) as stream:
            if not stat.S_ISREG(self._status.st_mode):
                self._status = None
                yield from self._turns_of(_ended(stream))
                return
            self._status = os.fstat(stream.fileno())
            yield from self._turns_of(stream)
            if self._lines is not None:
                self._tail = tail_of(stream, self._lines.offset)

    @property
    def bytes_read(self) -> int:
        """How far the file is read, in bytes."""
        return self._lines.offset if self._lines is not None else 0

    def is_kept_apart(self, session: str) -> bool:
        """Tell whether others than the owner may have spoken in a session of the turns so far."""
        return session in self._source.kept_apart

    def project(self) -> Project | None:
        """Return what the conversations of the file are held about, by the folder that it names so far."""
        folder = self._source.state.get(FOLDER)
        if folder not in self._projects:
            self._projects[folder] = find_project(folder)
        return self._projects[folder]

    def report(self, path: str) -> FileReport:
        """Return what the file held."""
        if self._unchanged and self._old is not None:
            return FileReport(
                path, self._old.format, self._old.turns, 0, self._old.torn, unchanged=True, left_out={}, bad=[]
            )
        return FileReport(
            path,
            self._format,
            turns=self._remembered + self._read,
            too_old=self._too_old,
            torn=self._is_torn(),
            unchanged=False,
            left_out={kind: count for kind, count in sorted(self._source.left_out.items()) if count},
            bad=self._source.bad,
        )

    def known(self) -> int:
        """Return how many of its turns an earlier capture read, so that they were not read again."""
        return self._old.turns if self._unchanged and self._old is not None else self._remembered

    def mark(self) -> Mark | None:
        """Return how far the file has been read by now, or None when the next capture must not rely on it.

        What was left out as too old must be found without --since; a bad line of a file that people write may be
        mended in its place.
        """
        if self._status is None or self._unchanged or self._too_old:
            return None
        lines = self._lines
        if self._source.bad and not self._keeps_ids():
            return None
        return Mark(
            format=self._format,
            session=self._choices.session,
            size=self._status.st_size,
            mtime_ns=self._status.st_mtime_ns,
            offset=lines.offset if lines is not None and self._keeps_ids() else 0,
            number=lines.number if lines is not None else 0,
            tail=self._tail,
            turns=self._remembered + self._read,
            torn=self._is_torn(),
            state=dict(self._source.state),
        )

    def _turns_of(self, stream: IO[bytes]) -> Iterator[RawTurn]:
        for turn in self._all_turns(stream):
            self._read += 1
            if is_too_old(turn, self._choices.since):
                self._too_old += 1
            else:
                yield turn

    def _all_turns(self, stream: IO[bytes]) -> Iterator[RawTurn]:
        old = self._old
        if old is not None and old.format in LINE_FORMATS and old.fits(stream):
            self._format, self._remembered = old.format, old.turns
            self._source = self._source_from(dict(old.state))
            self._lines = Lines(stream, self._source, offset=old.offset, number=old.number)
        else:
            self._format = self._recognised(stream)
            stream.seek(0)
            if self._format in LINE_FORMATS:
                self._lines = Lines(stream, self._source)
        if self._lines is None:
            yield from read_document(stream, self._format, self.name, self._source)
            return
        source, read = self._source, LINE_FORMATS[self._format].read
        yield from self._lines.read(lambda row: read(row, source))

    def _recognised(self, stream: IO[bytes]) -> str:
        stream.seek(0)
        return recognise(stream, self.name) if self._choices.file_format == AUTO else self._choices.file_format

    def _is_torn(self) -> bool:
        return self._source.torn or (self._lines is not None and self._lines.torn)

    def _keeps_ids(self) -> bool:
        form = LINE_FORMATS.get(self._format)
        return form is not None and form.keeps_ids

    def _suits(self, mark: Mark) -> bool:
        return mark.session == self._choices.session and self._choices.file_format in {AUTO, mark.format}

    def _source_from(self, state: dict[str, str] | None) -> Source:
        return Source(
            path=None if self.name == STDIN else str(Path(self.name).absolute()),
            session=self._choices.session,
            zone=self._choices.zone,
            known_sessions=self._known_sessions,
            own_agent=self._choices.own_agent,
            state=state,
        )


def check_readable(name: str) -> None:
    """Raise MalformedInputError for what is no file, or cannot be read."""
    try:
        if name == STDIN:
            refuse_endless(sys.stdin.buffer)
        elif not Path(name).is_fifo():  # such as `<(zcat old.jsonl.gz)`; to open it would take its content
            open_given(name).close()
    except OSError as problem:
        called, why = "standard input" if name == STDIN else name, problem.strerror or "it cannot be read"
        hint = "check the file name; nothing was captured"
        raise MalformedInputError(f"cannot read {called}: {why}", hint=hint) from problem


def _ended(stream: IO[bytes]) -> IO[bytes]:
    """Return all of a stream that ends: it does not grow, so its last line is not torn."""
    data = stream.read(_MOST_STREAMED + 1)
    if len(data) > _MOST_STREAMED:
        raise OSError(errno.EFBIG, f"it is larger than {_MOST_STREAMED >> 20} MiB; capture a file")
    return io.BytesIO(data if data.endswith(b"\n") else data + b"\n")
