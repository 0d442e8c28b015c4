"""How captured text becomes turns: ids made of content, so capture is exactly-once, in commands of a bounded size."""

import datetime as dt
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.errors import BadValueError
from engram.model.conversation import Turn
from engram.rules.turn_id import turn_id

TURNS_PER_COMMAND = 500  # of one capture command
MAX_TURN_CHARS = 2_000_000  # of one turn (a pasted book is still one turn); longer text is a file, not an utterance

_SPAN = re.compile(r"(\d{1,6})([mhdw])")
_SAID_OTHERWISE = {"session", "ordinal"}  # fields of a turn that its command's own name or its place there give
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class RawTurn(NamedTuple):
    """One utterance as a file holds it."""

    session: str  # name in normal form
    text: str  # as it was said
    ref: str | None = None  # the id that the file gives it
    speaker: str | None = None
    at: dt.datetime | None = None  # aware, UTC


class BadLine(NamedTuple):
    """A line that could not be captured."""

    line: int  # from 1
    field: str  # of the line, or "" when it is no object at all
    message: str  # one sentence


class Transcript(NamedTuple):
    """What an importer read from one file."""

    turns: list[RawTurn]  # in the order of the file
    bad: list[BadLine]  # lines that were left out
    torn: bool = False  # the last line is still being written and waits


def make_turns(raw: Iterable[RawTurn], *, path: str | None) -> list[Turn]:
    """Return turns with their ids; the recorder gives them their place in the session."""
    seen: dict[tuple[str | None, ...], int] = {}
    turns: list[Turn] = []
    for turn in raw:
        at = to_iso(turn.at) if turn.at else None
        content = (turn.session, turn.ref or None, turn.speaker or None, at, turn.text)
        occurrence = seen[content] = seen.get(content, 0) + 1
        turns.append(
            Turn(
                id=turn_id(*content, occurrence=occurrence),
                session=turn.session,
                ref=turn.ref or None,
                speaker=turn.speaker or None,
                at=turn.at,
                text=turn.text,
                ordinal=len(turns),
                path=path,
            )
        )
    return turns


def capture_commands(turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of `capture` commands: one session each, at most 500 turns, in order."""
    of_session: dict[str, list[Turn]] = {}
    for turn in turns:
        of_session.setdefault(turn.session, []).append(turn)
    for session, said in of_session.items():
        for first in range(0, len(said), TURNS_PER_COMMAND):
            chunk = said[first : first + TURNS_PER_COMMAND]
            rows = [turn.model_dump(mode="json", exclude=_SAID_OTHERWISE, exclude_defaults=True) for turn in chunk]
            yield {"session": session, "turns": rows}


def keep_since(turns: Iterable[RawTurn], since: dt.datetime | None) -> list[RawTurn]:
    """Return the turns said at or after that instant; those without a time are kept."""
    return [turn for turn in turns if since is None or turn.at is None or turn.at >= since]


def parse_since(text: str | None, *, now: dt.datetime, zone: dt.tzinfo) -> dt.datetime | None:
    """Return the instant that `--since` means: a length such as 24h or 7d before now, or an ISO date or instant.

    Raises BadValueError for anything else.
    """
    if text is None:
        return None
    span = _SPAN.fullmatch(text.strip())
    try:
        at = now - dt.timedelta(**{_UNITS[span[2]]: int(span[1])}) if span else dt.datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as problem:
        raise BadValueError(
            f"--since {text!r} is neither a length nor a date", hint="such as 24h, 7d or 2026-02-24"
        ) from problem
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(dt.UTC)
