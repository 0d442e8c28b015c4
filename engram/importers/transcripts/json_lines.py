"""Transcripts as JSON lines: {"id"?, "session", "speaker"?, "at"?, "text"}."""

import functools
from collections.abc import Iterator
from typing import Any

from engram.base.text import has_control
from engram.errors import BadValueError
from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.reader import Source
from engram.services.commands.entities.entity import check_session_name
from engram.services.extract.turn_commands import MAX_TURN_CHARS
from engram.services.extract.turn_commands import RawTurn

NAME = "jsonl"

_FIELDS = frozenset(["id", "session", "speaker", "at", "text"])
_MAX_NAME_CHARS = 500  # of an id or a speaker


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield the turn of a line; the source's session is for lines that name none. Raises FieldError for a bad field."""
    if unknown := sorted(row.keys() - _FIELDS):
        raise FieldError(unknown[0], f"is not one of {', '.join(sorted(_FIELDS))}")
    text = _words(row, "text", MAX_TURN_CHARS)
    if text is None or not text.strip():
        raise FieldError("text", "is missing or empty")
    name = _words(row, "session", _MAX_NAME_CHARS) or source.session or ""
    if why := _name_problem(name):
        raise FieldError("session", why)
    at = row.get("at")
    try:
        said_at = None if at is None or at == "" else source.instant(at)
    except ValueError as problem:
        raise FieldError("at", str(problem)) from problem
    yield RawTurn(name, text, _words(row, "id", _MAX_NAME_CHARS), _words(row, "speaker", _MAX_NAME_CHARS), said_at)


def _words(row: dict[str, Any], field: str, limit: int) -> str | None:
    value = row.get(field)
    if field in {"id", "session"} and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, str):
        if value and has_control(value):
            raise FieldError(field, "holds a control character")
        if value and len(value) > limit:
            raise FieldError(field, f"is longer than {limit} characters")
        return value
    raise FieldError(field, "is not a text")


@functools.lru_cache(maxsize=4096)
def _name_problem(name: str) -> str:
    try:
        check_session_name(name)
    except BadValueError as problem:
        return problem.message
    return ""
