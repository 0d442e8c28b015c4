"""The formats of transcripts: their names, how each is recognised by its content, and how its files are read."""

import codecs
import re
import zipfile
import zlib
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO
from typing import Any
from typing import NamedTuple

from engram.base.json_values import load_json
from engram.errors import MalformedInputError
from engram.importers.markdown import read_markdown
from engram.importers.transcripts import chatgpt
from engram.importers.transcripts import claude_ai
from engram.importers.transcripts import claude_code
from engram.importers.transcripts import codex
from engram.importers.transcripts import gemini
from engram.importers.transcripts import json_lines
from engram.importers.transcripts import openclaw
from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.streams import Lines
from engram.importers.transcripts.streams import read_elements
from engram.services.extract.turn_commands import RawTurn

MARKDOWN = "markdown"
AUTO = "auto"
SEEN_BYTES = 1 << 20  # of a file's beginning, by which its format is recognised

MOST_UNPACKED_BYTES = 16 << 30  # of all conversations in a zip
MOST_RATIO = 200  # of their bytes unpacked to packed; what people say comes to ten or twenty
_FREE_BYTES = 1 << 20  # of a file, before its ratio counts
_LINES_SEEN = 50  # of those bytes
_ZIP = b"PK\x03\x04"
_WHITE = b" \t\r\n"
_ARRAY = re.compile(rb"\[\s*[\[{\]]")
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
_MEMBER = re.compile(r"(?:^|/)conversations(?:-\d{1,6})?\.json$")

Read = Callable[[dict[str, Any], Source], Iterator[RawTurn]]


class LineFormat(NamedTuple):
    """A format with one object per line, appended to while a conversation goes on."""

    read: Read
    keeps_ids: bool  # a message is the same wherever it stands, so a file can be read from any line on


LINE_FORMATS: dict[str, LineFormat] = {
    claude_code.NAME: LineFormat(claude_code.read, keeps_ids=True),
    codex.NAME: LineFormat(codex.read, keeps_ids=True),
    openclaw.NAME: LineFormat(openclaw.read, keeps_ids=True),
    json_lines.NAME: LineFormat(json_lines.read, keeps_ids=False),
}
EXPORTS: dict[str, Read] = {chatgpt.NAME: chatgpt.read, claude_ai.NAME: claude_ai.read}
FORMATS = (AUTO, *LINE_FORMATS, *EXPORTS, gemini.NAME, MARKDOWN)

_RECOGNISERS: dict[str, Callable[[dict[str, Any]], bool]] = {
    gemini.NAME: gemini.recognise,
    chatgpt.NAME: chatgpt.recognise,
    claude_ai.NAME: claude_ai.recognise,
    codex.NAME: codex.recognise,
    openclaw.NAME: openclaw.recognise,
    claude_code.NAME: claude_code.recognise,
}
_FIELDS_OF_ONE = {  # a field that only files of that format have, when their beginning is no whole JSON
    b'"mapping"': chatgpt.NAME,
    b'"chat_messages"': claude_ai.NAME,
    b'"projectHash"': gemini.NAME,
    b'"leafUuid"': claude_code.NAME,
    b'"parentUuid"': claude_code.NAME,
    b'"payload"': codex.NAME,
}


def recognise(stream: IO[bytes], name: str) -> str:
    """Return the format of a file by its beginning; by its name's ending only when the content does not say.

    Leaves the stream anywhere.
    """
    head = stream.read(SEEN_BYTES)
    if head.startswith(_ZIP):
        return _by_objects(_bare(_first_of_zip(stream))) or chatgpt.NAME
    bare = _bare(head)
    if bare.startswith(b"{") or _ARRAY.match(bare):
        return _by_objects(bare) or json_lines.NAME
    return json_lines.NAME if PurePath(name).suffix.lower() in {".jsonl", ".ndjson"} else MARKDOWN


def read_document(stream: IO[bytes], form: str, name: str, source: Source) -> Iterator[RawTurn]:
    """Yield the turns of a file that is read as a whole; what cannot be read is noted in the source."""
    try:
        if form == MARKDOWN:
            yield from _markdown(stream.read(), name, source)
        elif form == gemini.NAME:
            yield from gemini.read(_gemini_rows(stream, source), source)
        else:
            yield from _export(stream, form, source)
    except FieldError as problem:
        source.note(problem.field, str(problem))
    except _BROKEN_ZIP as problem:
        source.note("", f"it cannot be unpacked: {problem}")


def _export(stream: IO[bytes], form: str, source: Source) -> Iterator[RawTurn]:
    is_zip = stream.read(len(_ZIP)) == _ZIP
    stream.seek(0)
    for member in _zip_members(stream) if is_zip else [stream]:
        for value in read_elements(member):
            source.place += 1
            if isinstance(value, FieldError):
                source.note(value.field, str(value))
            else:
                yield from _conversations(value, form, source)


def _conversations(value: object, form: str, source: Source) -> Iterator[RawTurn]:
    inner = value.get("conversations") if isinstance(value, dict) else None
    for one in inner if isinstance(inner, list) else [value]:
        if isinstance(one, dict) and _RECOGNISERS[form](one):
            yield from EXPORTS[form](one, source)
        else:
            source.note("", f"it is no conversation of {form}")


def _gemini_rows(stream: IO[bytes], source: Source) -> Iterator[dict[str, Any]]:
    whole = stream.read(SEEN_BYTES)
    stream.seek(0)
    first = whole.lstrip(codecs.BOM_UTF8 + _WHITE).split(b"\n", 1)[0].rstrip()
    if first.endswith(b"}") or b"\n" not in whole.rstrip():  # one object per line, or one line altogether
        lines = Lines(stream, source)
        yield from lines.read(lambda row: iter([row]))
        source.torn = lines.torn
        return
    for value in read_elements(stream):
        if isinstance(value, FieldError):
            raise value
        if not isinstance(value, dict):
            raise FieldError("", "it is not a JSON object")
        yield value


def _markdown(data: bytes, name: str, source: Source) -> Iterator[RawTurn]:
    try:
        transcript = read_markdown(data, name=PurePath(name).name, session=source.session, zone=source.zone)
    except MalformedInputError as problem:
        source.place = int(problem.details.get("line", 0))
        raise FieldError("", problem.message) from problem
    source.bad += transcript.bad
    yield from transcript.turns


def _by_objects(head: bytes) -> str | None:
    for line in head.split(b"\n", _LINES_SEEN)[:_LINES_SEEN]:
        try:
            row = load_json(line)
        except ValueError:
            continue
        rows = row if isinstance(row, list) else [row]
        for one in rows[:_LINES_SEEN]:
            found = [form for form, is_it in _RECOGNISERS.items() if isinstance(one, dict) and is_it(one)]
            if found:
                return found[0]
            if isinstance(one, dict) and "text" in one and "type" not in one:
                return json_lines.NAME
    return next((form for field, form in _FIELDS_OF_ONE.items() if field in head), None)


def _first_of_zip(stream: IO[bytes]) -> bytes:
    try:
        return next((member.read(SEEN_BYTES) for member in _zip_members(stream)), b"")
    except (FieldError, *_BROKEN_ZIP):
        return b""


def _bare(head: bytes) -> bytes:
    return head.removeprefix(codecs.BOM_UTF8).lstrip(_WHITE)


def _zip_members(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the files of conversations in a zip, in the order of their names, one open at a time."""
    try:
        archive = zipfile.ZipFile(stream)
    except _BROKEN_ZIP as problem:
        raise FieldError("", "it is not a whole zip file") from problem
    with archive:
        names = sorted(name for name in archive.namelist() if _MEMBER.search(name))
        if not names:
            raise FieldError("", "the zip holds no conversations.json")
        _refuse_bomb(archive, names)
        for name in names:
            if archive.getinfo(name).flag_bits & 1:
                raise FieldError("", "the zip is locked with a password")
            with archive.open(name) as member:
                yield member


def _refuse_bomb(archive: zipfile.ZipFile, names: Iterable[str]) -> None:
    """Raise FieldError for files that are more unpacked than conversations can be; no more than announced is read."""
    infos = [archive.getinfo(name) for name in names]
    if sum(info.file_size for info in infos) > MOST_UNPACKED_BYTES:
        raise FieldError("", f"the zip is larger than {MOST_UNPACKED_BYTES >> 30} GiB unpacked")
    if any(info.file_size > _FREE_BYTES + MOST_RATIO * info.compress_size for info in infos):
        raise FieldError("", f"a file of the zip is more than {MOST_RATIO} times as large unpacked as text becomes")
