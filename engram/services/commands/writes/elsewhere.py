"""Facts that a person's correction may mean though they are filed under something else and were said another day.

Only the person's own explicit words reach there, and nothing of another project: the port of this one is not the port
of that one, unless both statements name the same thing.
"""

from collections.abc import Iterable

from engram.language.compare.corrections.corrections import Correction
from engram.language.names.spans import names_inside
from engram.model.changes.state import State
from engram.model.conversation import Session
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.services.extract.correction.mentions import mention_phrases
from engram.services.extract.correction.mentions import mentions

_LIVE = frozenset({Status.ACTIVE, Status.CANDIDATE})
_PROJECTS = "projects/"


def sought_elsewhere(
    correction: Correction | None, source: Source, scopes: Iterable[str]
) -> frozenset[tuple[str, tuple[str, ...]]]:
    """Return by which phrases a correction's facts are looked for in each scope; see `SliceKeys.mentions`."""
    phrases = mention_phrases(correction) if correction and source.actor == Actor.USER else ()
    return frozenset((scope, phrases) for scope in scopes if phrases)


def find_elsewhere(state: State, draft: Draft, correction: Correction) -> list[Fact]:
    """Return the facts of the state that a draft may mean wherever they are filed."""
    phrases = mention_phrases(correction) if draft.source.actor == Actor.USER else ()
    if not phrases:
        return []
    session = state.sessions.get(draft.source.session or "")
    return [
        fact
        for fact in state.facts.values()
        if fact.status in _LIVE
        and fact.scope == draft.scope
        and fact.entity in state.entities
        and mentions(fact.text, phrases)
        and is_within_reach(fact, session, state, correction)
    ]


def is_within_reach(fact: Fact, session: Session | None, state: State, correction: Correction) -> bool:
    """Tell whether a fact is of no other project than the conversation of a correction, or both name the same."""
    told_in = _project(state, state.sessions.get(fact.source.session or ""))
    homes = [*filter(None, [told_in]), *(path for path in [fact.entity] if path.startswith(_PROJECTS))]
    mine = _project(state, session)
    if mine is None or not homes or mine in homes:
        return True
    return bool(names_inside(correction.text) & names_inside(fact.text))


def _project(state: State, session: Session | None) -> str | None:
    """Return the project that a conversation is held about."""
    return (state.resolve(session.project) or session.project) if session and session.project else None
