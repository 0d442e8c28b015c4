"""How captured text becomes turns: ids made of content, so capture is exactly-once, in commands of a bounded size."""

import datetime as dt
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.project import Project
from engram.base.speaker_names import is_own_speech
from engram.base.speaker_names import is_program
from engram.language.screen.secrets import redact
from engram.model.conversation import Turn
from engram.rules.turn_id import turn_id

TURNS_PER_COMMAND = 500  # of one capture command
MAX_TURN_CHARS = 2_000_000  # of one turn (a pasted book is still one turn); longer text is a file, not an utterance

_SAID_OTHERWISE = {"session", "ordinal"}  # fields of a turn that its command's own name or its place there give
_SAME_PROMPT = dt.timedelta(seconds=20)  # between hook and transcript, two programs of one machine, for one prompt


class RawTurn(NamedTuple):
    """One utterance as a file holds it."""

    session: str  # name in normal form
    text: str  # as it was said
    ref: str | None = None  # the id that the file gives it
    speaker: str | None = None
    at: dt.datetime | None = None  # aware, UTC
    key: str | None = None  # the same wherever its program repeats the message, and no other's


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


def make_turns(raw: Iterable[RawTurn], *, path: str | None, seen: dict[str, int] | None = None) -> list[Turn]:
    """Return turns with their ids; the recorder gives them their place in the session.

    A turn with a key is known by that, its speaker and its text, whatever session it is said to be of: a resumed
    conversation repeats itself in another file. Equal turns without one are counted in `seen`, over all calls for one
    file.
    """
    counts = {} if seen is None else seen
    return [
        Turn(
            id=_id_of(turn, counts),
            session=turn.session,
            ref=turn.ref or None,
            speaker=turn.speaker or None,
            at=turn.at,
            text=turn.text,
            ordinal=place,
            path=path,
        )
        for place, turn in enumerate(raw)
    ]


def _id_of(turn: RawTurn, counts: dict[str, int]) -> str:
    if turn.key is not None:
        return turn_id(None, turn.key, turn.speaker, None, turn.text)
    content = (turn.session, turn.ref or None, turn.speaker or None, to_iso(turn.at) if turn.at else None, turn.text)
    first = turn_id(*content)
    occurrence = counts[first] = counts.get(first, 0) + 1
    return first if occurrence == 1 else turn_id(*content, occurrence=occurrence)


def said_before(turns: Iterable[Turn], kept: Iterable[Turn]) -> set[str]:
    """Return the ids of turns that a hook kept already, at most 20 seconds apart and word for word.

    What a hook keeps has neither a file nor an id of its program; each such turn stands for one of a transcript.
    """
    by_words: dict[tuple[str, str], list[tuple[dt.datetime, str | None]]] = {}
    for turn in kept:
        if turn.at is not None and turn.ref is None and turn.path is None:
            by_words.setdefault((turn.session, turn.text), []).append((turn.at, turn.speaker))
    found: set[str] = set()
    for turn in turns if by_words else ():
        # Of a group the hook knows by which name somebody wrote; the transcript calls them all the user.
        said = [
            (at, who)
            for at, who in by_words.get((turn.session, redact(turn.text).text), [])
            if who == turn.speaker or (is_own_speech(turn.speaker) and not is_program(who))
        ]
        near = sorted(((abs(one[0] - turn.at), one) for one in said if turn.at is not None), key=lambda pair: pair[0])
        if near and near[0][0] <= _SAME_PROMPT:
            by_words[turn.session, redact(turn.text).text].remove(near[0][1])
            found.add(turn.id)
    return found


def capture_commands(
    turns: Sequence[Turn], kept_apart: Collection[str] = (), projects: Mapping[str, Project] = MappingProxyType({})
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of `capture` commands: one session each, at most 500 turns, in order.

    A session in `kept_apart` that is not known yet is made a group: what is said in it stays in it. `projects` are what
    sessions are held about, by session.
    """
    of_session: dict[str, list[Turn]] = {}
    for turn in turns:
        of_session.setdefault(turn.session, []).append(turn)
    for session, said in of_session.items():
        for first in range(0, len(said), TURNS_PER_COMMAND):
            chunk = said[first : first + TURNS_PER_COMMAND]
            rows = [turn.model_dump(mode="json", exclude=_SAID_OTHERWISE, exclude_defaults=True) for turn in chunk]
            kind = {"kind": "group"} if session in kept_apart else {}
            project = projects[session].as_args() if session in projects else {}
            yield {"session": session, "turns": rows, **kind, **project}


def is_too_old(turn: RawTurn, since: dt.datetime | None) -> bool:
    """Tell whether a turn was said before that instant; one without a time never was."""
    return since is not None and turn.at is not None and turn.at < since
