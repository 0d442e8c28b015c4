"""Whether the very turn that corrects a statement tells that what it says besides has changed. Pure.

"Staging moved, it's host two now. No wait, the port there is 7443": the old statement had a host, too, and to say it
again with the new port would tell what nobody has said.
"""

from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.model.changes.state import State
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status

_LIVE = frozenset({Status.ACTIVE, Status.CANDIDATE})


def is_told_anew(state: State, draft: Draft, old: Fact) -> bool:
    """Tell whether another fact of the draft's turn tells of a change in what an old fact says besides."""
    turn = draft.source.turn
    if turn is None or old.source.turn == turn:
        return False
    besides = {*content_terms(fold(old.text))} - {*content_terms(fold(draft.said_as or draft.text))}
    said = (fold(fact.text) for fact in state.facts.values() if fact.source.turn == turn and fact.status in _LIVE)
    return any(telling_words(one) and not besides.isdisjoint(content_terms(one)) for one in said)
