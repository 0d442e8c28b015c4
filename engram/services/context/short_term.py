"""What a session has before it right now: its last turns, its working memory, and the note of today.

The short-term part of a combined answer; what recall finds is the long-term one.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.config.settings import Settings
from engram.errors import BadValueError
from engram.language.screen.fence import BAR
from engram.language.screen.fence import barred
from engram.language.screen.fence import safe_lines
from engram.model.conversation import Turn
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.text_files import TextFiles
from engram.rules.context import Item
from engram.services.context.files import SiloFiles
from engram.services.context.files import Wording
from engram.services.visibility import Caller
from engram.services.visibility import may_see

MOST_TURNS: Final = 10  # of a session: its agent has the others, or their facts
_MOST_CHARS: Final = 1000  # of one turn; of a longer one its beginning, and how much it is
_USER: Final = "user"


class ShownTurn(NamedTuple):
    """One turn of the session."""

    id: str
    speaker: str | None
    at: str | None  # ISO 8601, in UTC
    text: str  # without secrets and orders to the agent


class ShortTerm(NamedTuple):
    """What the session has before it; each line without secrets and orders to the agent."""

    session: str | None  # None: the owner's own view, which has no turns
    turns: tuple[ShownTurn, ...]  # oldest first
    working_memory: tuple[str, ...]
    note: tuple[str, ...]  # of today
    note_paths: tuple[str, ...] = ()  # of the files that the note's lines stand in

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the contract."""
        turns = [turn._asdict() for turn in self.turns]
        lines = {"working_memory": [*self.working_memory], "note": [*self.note]}
        return {"session": self.session, "turns": turns, **lines}

    def lines(self) -> list[str]:
        """Return it as people and agents read it, each line barred."""
        said = [f"{turn.speaker or 'somebody'}: {turn.text}" for turn in self.turns]
        parts = (("last turns", said), ("working memory", self.working_memory), ("today's note", self.note))
        return [line for name, texts in parts if texts for line in (f"{name}:", *_barred(texts))]


def short_term(
    database: FactDatabase, files: TextFiles, settings: Settings, caller: Caller, now: dt.datetime
) -> ShortTerm:
    """Return what a caller has before it at an instant; of a session without a folder its turns alone."""
    wording = Wording(settings)
    try:
        silo = SiloFiles(files, settings, caller, wording)
    except BadValueError:  # a name that no folder can have
        memory, note = [], []
    else:
        memory, note = silo.working_memory(), silo.notes(local_day(now, settings.zone))
    return ShortTerm(
        caller.session,
        tuple(_shown(turn, settings) for turn in _last_turns(database, caller)),
        tuple(_plain(memory)),
        tuple(_plain(note)),
        tuple(dict.fromkeys(one.id.partition("#")[0] for one in note)),
    )


def _last_turns(database: FactDatabase, caller: Caller) -> list[Turn]:
    if caller.session is None:
        return []
    turns = (turn for turn in database.list_turns(caller.session) if turn.trust != Trust.QUARANTINED)
    return [one for one in turns if may_see(caller, one.scope, caller.session, raw=True)][-MOST_TURNS:]


def _shown(turn: Turn, settings: Settings) -> ShownTurn:
    text = turn.text[:_MOST_CHARS]
    lines = safe_lines(text, settings.screen.patterns, is_persons=turn.speaker == _USER)
    more = f" […, {len(turn.text)} characters]" if len(turn.text) > _MOST_CHARS else ""
    speaker = " ".join(safe_lines(turn.speaker, settings.screen.patterns)) if turn.speaker else None
    return ShownTurn(turn.id, speaker, to_iso(turn.at) if turn.at else None, "\n".join(lines) + more)


def _plain(items: Iterable[Item]) -> list[str]:
    return [line.removeprefix(BAR) for item in items for line in item.lines]


def _barred(texts: Iterable[str]) -> list[str]:
    return [barred(line) for text in texts for line in text.splitlines() or [""]]
