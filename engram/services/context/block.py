"""The block that an agent loads at its start: what always holds, where it stands, and what happened lately.

Byte-identical while nothing changed, for prompt caches: no clock in it but the day, ages in days, one order. All of it
is data: every line stands behind a bar within a fence that nothing recalled can close.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated
from typing import Any
from typing import NamedTuple

from pydantic import Field

from engram.base.text import fingerprint
from engram.base.tokens.vocabulary import count_tokens
from engram.config.settings import Settings
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.model.document import Hit
from engram.model.value import Value
from engram.ports.database import FactDatabase
from engram.ports.text_files import TextFiles
from engram.rules.context import Fitted
from engram.rules.context import Item
from engram.rules.context import Part
from engram.rules.context import cost
from engram.rules.context import fit
from engram.services.context.parts import Sources
from engram.services.recall.presentation.near_duplicates import bare_note
from engram.services.visibility import Caller

_LABEL = "context from memory"
_EMPTY = (
    "(nothing to begin with: engram recall asks for what is known; engram write, engram note add and engram handoff "
    "write fill this memory)"
)
_ELSEWHERE = "(nothing is known of this project yet; {count} facts are known of others: engram recall QUESTION)"


class ContextQuery(Value):
    """Who starts, about what, and how much it may take."""

    caller: Caller = Caller()
    question: str = ""  # what the work is about: the entities that it names are in play
    budget: Annotated[int, Field(ge=0)] | None = None  # tokens of the whole block; None: as the settings say
    project: str | None = None  # path of the one that is worked on: facts of others are left out; None: all are shown
    by_commands: bool = True  # who starts runs commands, each of which has to say for which session


class ContextAnswer(NamedTuple):
    """The block."""

    text: str
    tokens: int  # that the whole text takes
    parts: Sequence[Fitted]  # that have something to show, or were cut
    hits: Sequence[Hit]  # what was given out, for the access log (door "context")

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the contract."""
        parts = [{"name": part.name, "tokens": part.tokens, "cut": part.cut} for part in self.parts]
        return {"text": self.text, "tokens": self.tokens, "parts": parts}


def load_context(
    database: FactDatabase, files: TextFiles, settings: Settings, asked: ContextQuery, *, now: dt.datetime
) -> ContextAnswer:
    """Return the block for a caller, who was identified before (see `services.visibility.identify`). Reads only.

    Raises RefusedError where a file of the silo is a link, BadValueError for a session that can have no folder.
    """
    label = _label(asked)
    sources = Sources(database, files, settings, asked.caller, now, question=asked.question, project=asked.project)
    parts = sources.parts()
    budget = settings.context.budget if asked.budget is None else asked.budget
    # Parts that are cut as a whole are named at the end, for which there is always room.
    frame = cost([*fence(label, []), _left_out([part.name for part in parts]), ""], count_tokens)
    fitted = fit(parts, budget - frame, count_tokens)
    fresh = _without_said(parts, fitted)
    fitted = [part for part in fit(fresh, budget - frame, count_tokens) if part.items or part.cut]
    lines = [line for part in fitted if part.items for line in (*part.lines(), "")]
    missing = [part.name for part in fitted if not part.items]
    lines += [_left_out(missing)] if missing else []
    text = "\n".join(fence(label, _trimmed(lines) or [_nothing(sources.known.count_held())]))
    hits = [_hit(item) for part in fitted for item in part.items]
    return ContextAnswer(text, count_tokens(text), fitted, hits)


def _without_said(parts: Sequence[Part], fitted: Sequence[Fitted]) -> list[Part]:
    """Return the parts without the lines of notes that a fact says which has room in the block."""
    said = {fingerprint(item.text) for part in fitted for item in part.items if item.kind == "fact"}
    return [
        part._replace(
            items=[one for one in part.items if one.kind != "note" or fingerprint(bare_note(one.text)) not in said]
        )
        for part in parts
    ]


def _label(asked: ContextQuery) -> str:
    """Return what the block is called; an agent in a chat that is kept apart learns here by which door it may ask.

    Without the session's name it could only come in as the owner.
    """
    caller = asked.caller
    if caller.apart and asked.by_commands:
        return f"{_LABEL}; session {caller.session}: give --session {caller.session} to every engram command"
    return _LABEL


def _nothing(held: int) -> str:
    return barred(_ELSEWHERE.format(count=held)) if held else _EMPTY


def _left_out(names: Sequence[str]) -> str:
    return f"[no room for any of: {', '.join(names)}]"


def _trimmed(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines


def _hit(item: Item) -> Hit:
    return Hit(id=item.id, kind=item.kind, text=item.text, score=0.0)
