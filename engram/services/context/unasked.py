"""What a prompt brings that nobody asked for: orders whose case it meets, and lessons of the error that it meets."""

from collections.abc import Sequence
from typing import Final

from engram.base.clock import local_day
from engram.base.text import is_archived
from engram.language.signal.error_terms import error_terms
from engram.language.signal.error_terms import likeness
from engram.language.signal.error_terms import meets_error
from engram.language.signal.order_terms import is_met
from engram.language.terms.terms import terms
from engram.model.document import Hit
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import holds_now
from engram.rules.temporal import written_begin
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.recall.query import RecallContext
from engram.services.visibility import Caller
from engram.services.visibility import visible_scopes

_MOST_ORDERS: Final = 3
_MOST_LESSONS: Final = 2
_MOST_READ: Final = 2000  # lessons of which the words are read, the newest: 0.1 ms each


def met_orders(database: FactDatabase, prompt: str, caller: Caller, around: RecallContext, *, owner: str) -> list[Hit]:
    """Return the persons' orders for a case that a prompt, or the day, meets; the weightiest first.

    An order without a case stands in every start block.
    """
    asked = StandingQuery(session=caller.session, agent=caller.agent)
    said, day = frozenset(terms(prompt)), local_day(around.now, around.zone)
    hits = recall_standing(database, asked, around, owner=owner).hits
    return [one for one in hits if one.order and (when := one.order["when"]) and is_met(when, said, day)][:_MOST_ORDERS]


def met_lessons(database: FactDatabase, prompt: str, caller: Caller, around: RecallContext) -> list[Hit]:
    """Return the lessons of an error that a prompt meets again, the likest first; none when it meets no error."""
    if not meets_error(prompt):
        return []
    met = error_terms(prompt)
    found = [(likeness(met, error_terms(fact.text)), fact) for fact in _lessons(database, caller, around)]
    likest = sorted((one for one in found if one[0] > 0), key=lambda one: (-one[0], -one[1].recorded_at.timestamp()))
    return [_hit(fact, round(min(score, 1.0), 6), around) for score, fact in likest[:_MOST_LESSONS]]


def _lessons(database: FactDatabase, caller: Caller, around: RecallContext) -> Sequence[Fact]:
    listed = database.list_facts(FactFilter(category=Category.LESSON.value, scopes=visible_scopes(caller)))
    held = [fact for fact in listed if fact.trust != Trust.QUARANTINED and holds_now(fact, around.now)]
    return sorted((fact for fact in held if not is_archived(fact.entity)), key=lambda one: one.recorded_at)[
        -_MOST_READ:
    ]


def _hit(fact: Fact, score: float, around: RecallContext) -> Hit:
    source = fact.source
    return Hit(
        id=fact.id,
        kind="fact",
        text=fact.text,
        score=score,
        date=written_begin(fact, around.zone),
        entity=fact.entity,
        source=source.label or source.path or source.session or source.actor.value,
        trust=fact.trust,
    )
