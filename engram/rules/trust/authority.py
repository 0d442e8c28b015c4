"""How far somebody's word reaches: what it is believed as, and which facts it may retire. Pure.

| who says it | believed as | retires |
|---|---|---|
| a person: typed, or edited in `life/` | trusted | everything |
| a person, read in a transcript | unverified, for nobody saw who typed it | what is unverified |
| an agent, a tool, another memory, another speaker | unverified | what is unverified and no person's |

Trust is that of the origin and of all that a statement was derived from: the least of them. Only a person's act raises
it (see `rules.writes.confirmation`). Whatever asks for more opens a tension, and a person decides.
"""

from typing import Final
from typing import NamedTuple

from engram.errors import RefusedError
from engram.model.fact import Abstraction
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust

PERSONS: Final = frozenset({Actor.USER, Actor.FILE})
"""Actors that are a person: whoever types a command, and whoever edits a file in `life/`."""

_ASK: Final = "a person settles it: engram review"
_NAMES: Final = {Actor.AGENT: "an agent", Actor.TOOL: "a tool", Actor.IMPORT: "an import"}
_LEAST_FIRST: Final = (Trust.QUARANTINED, Trust.UNVERIFIED, Trust.TRUSTED)


class Authority(NamedTuple):
    """How far a word reaches; the greater one may retire the lesser one."""

    trust: int  # place in the order of trust, the least first
    is_persons: bool  # of two that are trusted alike, a person's words reach further


PERSONS_WORD: Final = Authority(_LEAST_FIRST.index(Trust.TRUSTED), is_persons=True)
"""How far the word of a person reaches who asks for something themselves."""


def own_trust(actor: Actor, asked: Trust | None = None) -> Trust:
    """Return how far an actor's own words are believed; `asked` may make it less, and never more."""
    most = Trust.TRUSTED if actor in PERSONS else Trust.UNVERIFIED
    return less_trusted(most, asked or most)


def less_trusted(one: Trust, other: Trust) -> Trust:
    """Return the lower of two degrees of trust."""
    return min((one, other), key=_LEAST_FIRST.index)


def in_own_name(source: Source, actor: Actor) -> Source:
    """Return the source as an actor may state it: nobody says something in a person's name but that person.

    What names a turn is told from it: `services.commands.writes.in_whose_name` looks whether the person says it there.
    """
    if actor in PERSONS or source.actor not in PERSONS or source.turn is not None:
        return source
    return source.model_copy(update={"actor": actor})


def needs_a_person(draft: Draft) -> bool:
    """Tell whether a draft is to hold always and whatever its use, and only an agent, a tool or a stranger says so.

    What another memory kept as a principle was one before: whoever imports it brings it along.
    """
    was_kept = draft.source.actor == Actor.IMPORT and draft.source.turn is None
    return draft.abstraction == Abstraction.PRINCIPLE and draft.source.actor not in PERSONS and not was_kept


def authority_of(fact: Fact) -> Authority:
    """Return how far a fact that is there reaches."""
    return Authority(_LEAST_FIRST.index(fact.trust), fact.source.actor in PERSONS)


def authority_to_say(trust: Trust, source: Source) -> Authority:
    """Return how far a statement reaches that is being made: no further than who makes it."""
    return Authority(_LEAST_FIRST.index(own_trust(source.actor, trust)), source.actor in PERSONS)


def may_retire(word: Authority, fact: Fact) -> bool:
    """Tell whether a word of this authority may take a fact back or take its place.

    What is quarantined waits for a person, and leaves by nobody else.
    """
    if fact.status == Status.PENDING:
        return word == PERSONS_WORD
    return word >= authority_of(fact)


def may_be_retired_by(fact: Fact, actor: Actor) -> bool:
    """Tell whether an actor may take a fact back, or decide that another one holds in its place."""
    return may_retire(authority_to_say(Trust.TRUSTED, Source(actor=actor)), fact)


def require_authority(actor: Actor, *facts: Fact) -> None:
    """Raise RefusedError where an actor would retire what is out of its reach."""
    for fact in facts:
        if not may_be_retired_by(fact, actor):
            who = _NAMES.get(actor, "nobody else")
            why = f"{fact.id} is a person's, or waits for a person, and {who} may not take it back"
            raise RefusedError(why, hint=_ASK, id=fact.id)


def require_person(actor: Actor, what: str) -> None:
    """Raise RefusedError unless a person asks; `what` says why, as a sentence."""
    if actor not in PERSONS:
        raise RefusedError(f"only a person decides: {what}", hint=_ASK)
