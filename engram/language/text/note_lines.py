"""Which lines of a note are not read, so that the others are: what is no text, and what is too long."""

from typing import NamedTuple

from engram.errors import MalformedInputError

_NO_SIGNS = bytes(range(33))  # control characters and the space
_MOST_BYTES = 1 << 18  # of a line; what is longer is a picture or a dump, and takes minutes to read


class UnreadLine(NamedTuple):
    """A line that is not read."""

    number: int  # from 1
    why: str  # what is wrong with it, to follow "it"


def find_unread_lines(data: bytes) -> list[UnreadLine]:
    """Return the lines of a note that are not UTF-8, or hold a NUL."""
    if b"\0" not in data and _is_utf8(data):
        return []
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not _is_utf8(line):
            found.append(UnreadLine(number, "is not UTF-8 text"))
        elif b"\0" in line:
            found.append(UnreadLine(number, "holds a NUL character"))
    return found


def is_no_note(data: bytes, unread: list[UnreadLine]) -> bool:
    """Tell whether most lines are no text, as of a picture, or of a text in another encoding."""
    return len(unread) * 2 > sum(bool(line.translate(None, _NO_SIGNS)) for line in data.split(b"\n"))


def without_unread_lines(data: bytes) -> tuple[bytes, list[UnreadLine]]:
    """Return a note with blanks for each line that is no text or too long, and those lines; every byte keeps its place.

    Raises MalformedInputError when most lines are no text: then it is no note.
    """
    lines = data.split(b"\n")
    unread = find_unread_lines(data)
    if is_no_note(data, unread):
        first = unread[0]
        raise MalformedInputError(f"line {first.number} {first.why}, and so it is with most others", line=first.number)
    too_long = (number for number, line in enumerate(lines, 1) if len(line) > _MOST_BYTES)
    unread += [UnreadLine(number, f"is longer than {_MOST_BYTES >> 10} KiB") for number in too_long]
    if not unread:
        return data, []
    for line in unread:
        lines[line.number - 1] = b" " * len(lines[line.number - 1])
    return b"\n".join(lines), unread


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
