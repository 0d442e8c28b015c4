"""Who said what a fact says, as far as somebody who reads it has to know. Pure.

| origin | whose words these are | how the fact came |
|---|---|---|
| person | a person's, who stands by them | written by hand, or raised to trusted by a person |
| said | the owner's | read in a transcript of their own, in a conversation that is open |
| imported | the owner's, as another memory says | an import |
| agent | an agent's | its notes, or what it wrote by itself |
| other | somebody else's, or nobody knows whose | named speakers, groups, tools |

Only what a person says stands among instructions; everything else is shown with its origin. Another memory cannot show
who said what it kept: most of it was written by agents (decision 0018).
"""

import re
from enum import StrEnum
from typing import Final
from typing import assert_never

from engram.model.conversation import Session
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Trust
from engram.model.fact import Usage

_PERSON: Final = frozenset({Actor.USER, Actor.FILE})
_NAMED: Final = frozenset({Actor.AGENT, Actor.TOOL})
_LONG_ID: Final = re.compile(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_IMPORTED: Final = "imported from "  # begins the label of what an import wrote


class Origin(StrEnum):
    """Whose words a fact is made of."""

    PERSON = "person"
    SAID = "said"
    IMPORTED = "imported"
    AGENT = "agent"
    OTHER = "other"


OWNERS: Final = frozenset({Origin.PERSON, Origin.SAID})
"""Origins that are the owner's own words; nothing else is an instruction."""


def origin_of(fact: Fact, usage: Usage | None, session: Session | None) -> Origin:
    """Return whose words a fact is made of; `session` is that in which it was said, None when it is not known."""
    actor = fact.source.actor
    if fact.trust == Trust.TRUSTED:
        confirmed = usage is not None and any(source.actor == Actor.USER for source in usage.confirmed_by)
        return Origin.AGENT if actor == Actor.AGENT and not confirmed else Origin.PERSON
    if actor in _PERSON and fact.source.turn is not None:
        return Origin.SAID if session is None or session.kind is None else Origin.OTHER
    if actor == Actor.IMPORT and fact.source.turn is None and (fact.source.label or "").startswith(_IMPORTED):
        return Origin.IMPORTED
    return Origin.AGENT if actor == Actor.AGENT else Origin.OTHER


def origin_mark(fact: Fact, origin: Origin, day: str, *, is_named: bool = False) -> str:
    """Return the words that tell where a fact comes from, short, with its day; "" as the day leaves that out.

    The day is that from which it holds: the one on which it was said, unless the words name another (`is_named`).
    """
    if is_named and day:
        return f"from {day}, {origin_mark(fact, origin, '')}".removesuffix(", ")
    on = f" on {day}" if day else ""
    match origin:
        case Origin.PERSON:
            return day
        case Origin.SAID:
            return f"said in {short_session(fact.source.session)}{on}"
        case Origin.IMPORTED:
            return f"{_IMPORTED}{_format_of(fact)}{on}"
        case Origin.AGENT:
            return f"noted{on}"
        case Origin.OTHER:
            place = f"said by others in {short_session(fact.source.session)}" if fact.source.session else "of others"
            return f"{place}{on}"
        case _:
            assert_never(origin)


def source_words(source: Source) -> str:
    """Return where a fact came from, in the most telling words that there are.

    What was said in a conversation is told by that; the path is only that of the transcript in which it was read. What
    an agent or a tool names as its source it may have made up, so they are named as well.
    """
    spoken = source.session if source.turn else None
    if source.label and source.actor in _NAMED:
        return f"{source.actor.value}: {source.label}"
    return source.label or spoken or source.path or source.session or source.actor.value


def doubt_mark(fact: Fact) -> str:
    """Return what stands before the words of a fact that nobody vouches for; "" for one that somebody does."""
    return "" if fact.trust == Trust.TRUSTED else f"[{fact.trust.value}] "


def short_session(name: str | None) -> str:
    """Return a session's name with no more of a program's long id than tells it from others."""
    return _LONG_ID.sub(r"\1", name or "a session")


def _format_of(fact: Fact) -> str:
    return (fact.source.label or "").removeprefix(_IMPORTED).partition(":")[0]
