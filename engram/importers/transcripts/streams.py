"""Reading files of any size piece by piece: lines of JSON, and the elements of one JSON array."""

import codecs
import json
import re
from collections.abc import Callable
from collections.abc import Iterator
from typing import IO
from typing import Any
from typing import TypeVar

from engram.base.json_values import TooDeepError
from engram.base.json_values import end_of_value
from engram.base.json_values import load_json
from engram.base.json_values import refuse_depth
from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.reader import Source

T = TypeVar("T")

MAX_LINE_BYTES = 64 * 1024 * 1024  # of one line: an hour's screenshots fit, memory does not suffer
MAX_ELEMENT_CHARS = 256 * 1024 * 1024  # of one conversation in an export

_CHUNK = 1 << 20  # bytes read at a time, at least
_TOO_LONG = "it holds a number that is too long"
_NO_TEXT = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8, as they are decoded


class Lines:
    """The objects in a file of JSON lines, from an offset on, and where reading has to go on the next time."""

    def __init__(self, stream: IO[bytes], source: Source, *, offset: int = 0, number: int = 0) -> None:
        """Take a stream that stands at the offset, behind that many lines, and where bad lines are noted."""
        self.offset = offset  # behind the last line that is done with
        self.number = number  # of lines that are done with
        self.torn = False  # the last line is still being written
        self._stream = stream
        self._source = source

    def read(self, act: Callable[[dict[str, Any]], Iterator[T]]) -> Iterator[T]:
        """Yield what is made of each line; a bad line is noted and the next one read.

        A last line that has no line break and is not yet valid JSON is torn: it is still being written, and waits.
        """
        while line := self._stream.readline(MAX_LINE_BYTES):
            size, is_whole = len(line), line.endswith(b"\n")
            self._source.place = self.number + 1
            if not is_whole and size >= MAX_LINE_BYTES:
                rest, is_whole = self._skip_line()
                if not is_whole:
                    self.torn = True
                    return
                self._source.note("", f"is longer than {MAX_LINE_BYTES >> 20} MiB")
                size += rest
            elif line.strip():
                try:
                    yield from self._made_of(line, act)
                except (json.JSONDecodeError, UnicodeDecodeError) as problem:
                    if not is_whole:
                        self.torn = True
                        return
                    self._source.note("", _why_unreadable(problem))
            self.offset += size
            self.number += is_whole

    def _made_of(self, line: bytes, act: Callable[[dict[str, Any]], Iterator[T]]) -> Iterator[T]:
        try:
            yield from act(_object(line.removeprefix(codecs.BOM_UTF8) if self.offset == 0 else line))
        except FieldError as problem:
            self._source.note(problem.field, str(problem))

    def _skip_line(self) -> tuple[int, bool]:
        skipped = 0
        while part := self._stream.readline(MAX_LINE_BYTES):
            skipped += len(part)
            if part.endswith(b"\n"):
                return skipped, True
        return skipped, False


def read_elements(stream: IO[bytes]) -> Iterator[object]:
    """Yield the elements of a JSON array one by one, or the one value that the stream holds instead.

    Memory holds one element at a time. One that cannot be read is a FieldError in its place. Raises FieldError when the
    rest cannot be read.
    """
    text = _Text(stream)
    if text.peek() != "[":
        yield text.value()
        return
    text.skip(1)
    while (sign := text.peek()) != "]":
        if not sign:
            raise FieldError("", "the file ends in the middle: it was cut off")
        if sign == ",":
            text.skip(1)
            continue
        yield text.element()


class _Text:
    """A window on a stream of UTF-8 text, long enough for one JSON value."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Begin at the stream's place."""
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._held = ""
        self._place = 0
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """Return the next sign that is not white space, or an empty text at the end."""
        while True:
            while self._place < len(self._held):
                if not self._held[self._place].isspace():
                    return self._held[self._place]
                self._place += 1
            if not self._more(_CHUNK):
                return ""

    def skip(self, signs: int) -> None:
        """Go on by so many signs."""
        self._place += signs

    def element(self) -> object:
        """Return the element of an array that begins here, or why it cannot be read: what stands behind it can be."""
        try:
            return self.value()
        except FieldError as problem:
            end = self._end()
            if end is None:
                raise
            self._place = max(end, self._place + 1)  # a bracket that nothing opens ends where it stands
            return problem

    def value(self) -> object:
        """Return the JSON value that begins here; what is read to find its end doubles each time."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._place)
                refuse_depth(value)
            except (RecursionError, TooDeepError) as problem:
                raise FieldError("", "it is nested too deeply") from problem
            except json.JSONDecodeError as problem:
                if end_of_value(self._held, self._place) is not None:
                    raise FieldError("", f"not valid JSON: {problem.msg}") from problem
                if not self._grow():
                    raise FieldError("", f"not valid JSON: {problem.msg}; the file may be cut off") from problem
            except ValueError as problem:
                raise FieldError("", _TOO_LONG) from problem
            else:
                if _NO_TEXT.search(self._held, self._place, end):
                    raise FieldError("", "it is not UTF-8 text")
                self._place = end
                return value

    def _end(self) -> int | None:
        """Return where the value that begins here ends, whatever it is; None when the file ends before."""
        while (end := end_of_value(self._held, self._place)) is None:
            if not self._grow():
                return None
        return end

    def _grow(self) -> bool:
        """Read so much that twice as much is held; return whether there was more."""
        if len(self._held) > MAX_ELEMENT_CHARS:
            raise FieldError("", "it is too large for one conversation")
        return self._more(max(_CHUNK, len(self._held)))

    def _more(self, size: int) -> bool:
        data = self._stream.read(size)
        more = self._decode(data, not data)
        self._held, self._place = self._held[self._place :] + more, 0
        return bool(data)


def _object(line: bytes) -> dict[str, Any]:
    text = line.decode("utf-8")
    try:
        raw = load_json(text)
    except TooDeepError as problem:
        raise FieldError("", str(problem)) from problem
    except json.JSONDecodeError:
        raise
    except ValueError as problem:  # what Python says of thousands of digits
        raise FieldError("", _TOO_LONG) from problem
    if not isinstance(raw, dict):
        raise FieldError("", "it is not a JSON object")
    return raw


def _why_unreadable(problem: json.JSONDecodeError | UnicodeDecodeError) -> str:
    if isinstance(problem, UnicodeDecodeError):
        return f"not UTF-8 text at byte {problem.start + 1}"
    return f"not valid JSON: {problem.msg} at column {problem.colno}"
