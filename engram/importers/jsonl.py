"""Transcripts as JSON lines: {"id"?, "session", "speaker"?, "at"?, "text"}."""

import codecs
import datetime as dt
import functools
import json
from collections.abc import Callable
from typing import Any

from engram.base.text import has_control
from engram.errors import BadValueError
from engram.importers.instants import parse_instant
from engram.services.capturing import MAX_TURN_CHARS
from engram.services.capturing import BadLine
from engram.services.capturing import RawTurn
from engram.services.capturing import Transcript
from engram.services.entity_commands import check_session_name

_FIELDS = frozenset(["id", "session", "speaker", "at", "text"])
_MAX_NAME_CHARS = 500  # of an id or a speaker


class _FieldError(ValueError):
    """A field of a line is missing or wrong."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def read_jsonl(data: bytes, *, session: str | None, zone: dt.tzinfo) -> Transcript:
    """Return the turns of a file of JSON lines; `session` is for lines that name none.

    Bad lines are reported and the others kept. A last line that has no line break and is not yet valid JSON is torn: it
    is still being written, and waits.
    """
    turns: list[RawTurn] = []
    bad: list[BadLine] = []
    instant = functools.lru_cache(maxsize=4096, typed=True)(functools.partial(_instant, zone=zone))
    check_name = functools.lru_cache(maxsize=4096)(_check_name)
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            turns.append(_turn(_object(line), session, instant, check_name))
        except (json.JSONDecodeError, UnicodeDecodeError) as problem:
            if number == len(lines):
                return Transcript(turns, bad, torn=True)
            bad.append(BadLine(number, "", _why_unreadable(problem)))
        except _FieldError as problem:
            bad.append(BadLine(number, problem.field, str(problem)))
    return Transcript(turns, bad)


def _why_unreadable(problem: json.JSONDecodeError | UnicodeDecodeError) -> str:
    if isinstance(problem, UnicodeDecodeError):
        return f"not UTF-8 text at byte {problem.start + 1}"
    return f"not valid JSON: {problem.msg} at column {problem.colno}"


def _object(line: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(line.decode("utf-8"))
    except RecursionError as problem:
        raise _FieldError("", "it is nested too deeply") from problem
    if not isinstance(raw, dict):
        raise _FieldError("", "it is not a JSON object")
    if unknown := sorted(raw.keys() - _FIELDS):
        raise _FieldError(unknown[0], f"is not one of {', '.join(sorted(_FIELDS))}")
    return raw


def _turn(
    raw: dict[str, Any],
    session: str | None,
    instant: Callable[[object], dt.datetime],
    check_name: Callable[[str], None],
) -> RawTurn:
    text = _words(raw, "text", MAX_TURN_CHARS)
    if text is None or not text.strip():
        raise _FieldError("text", "is missing or empty")
    name = _words(raw, "session", _MAX_NAME_CHARS) or session or ""
    check_name(name)
    at = raw.get("at")
    if not isinstance(at, str | int | float | None):
        raise _FieldError("at", "is neither a text nor a number")
    return RawTurn(
        session=name,
        text=text,
        ref=_words(raw, "id", _MAX_NAME_CHARS),
        speaker=_words(raw, "speaker", _MAX_NAME_CHARS),
        at=None if at is None or at == "" else instant(at),
    )


def _words(raw: dict[str, Any], field: str, limit: int) -> str | None:
    value = raw.get(field)
    if field in {"id", "session"} and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, str):
        if value and has_control(value):
            raise _FieldError(field, "holds a control character")
        if value and len(value) > limit:
            raise _FieldError(field, f"is longer than {limit} characters")
        return value
    raise _FieldError(field, "is not a text")


def _check_name(name: str) -> None:
    try:
        check_session_name(name)
    except BadValueError as problem:
        raise _FieldError("session", problem.message) from problem


def _instant(value: object, *, zone: dt.tzinfo) -> dt.datetime:
    try:
        return parse_instant(value, zone)
    except ValueError as problem:
        raise _FieldError("at", str(problem)) from problem
