"""What a prompt brings that nobody asked for: orders whose case it meets, and lessons of the error that it meets."""

from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.base.text import is_archived
from engram.language.signal.error_terms import error_terms
from engram.language.signal.error_terms import likeness
from engram.language.signal.error_terms import meets_error
from engram.language.signal.order_terms import is_met
from engram.language.signal.order_terms import read_order
from engram.language.terms.terms import terms
from engram.model.document import Hit
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.origin import source_words
from engram.rules.temporal import holds_now
from engram.rules.temporal import written_begin
from engram.services.context.orders import orders_told
from engram.services.context.standing_instructions import is_instruction
from engram.services.recall.homes import PROJECTS
from engram.services.recall.homes import homes_of
from engram.services.recall.query import RecallContext
from engram.services.visibility import Caller
from engram.services.visibility import visible_scopes

_MOST_ORDERS: Final = 3
_MOST_LESSONS: Final = 2
_MOST_READ: Final = 2000  # lessons of which the words are read, the newest: 0.1 ms each


def met_orders(
    database: FactDatabase, prompt: str, caller: Caller, around: RecallContext, project: str | None = None
) -> list[Hit]:
    """Return the persons' orders for a case that a prompt, or the day, meets; the newest first.

    An order without a case stands in every start block; one that an event ends has no case, so none of these is over.
    Where a `project` is worked on, its path, an order about another one is for nobody there.
    """
    said, day = frozenset(terms(prompt)), local_day(around.now, around.zone)
    met = [
        fact
        for fact in _held(database, (Category.INSTRUCTION, Category.PREFERENCE), caller, around)
        if (when := read_order(fact.text).when) and is_met(when, said, day) and is_instruction(fact)
    ]
    if project is not None and any(_is_of_project(fact) for fact in met):
        homes = homes_of(database, project)
        met = [fact for fact in met if not _is_of_project(fact) or homes.of(fact) == project]
    if not met:
        return []
    told = orders_told(database, met, around.zone)
    newest = sorted((fact for fact in met if fact.id in told), key=lambda one: one.recorded_at, reverse=True)
    return [_hit(fact, 1.0, around, told[fact.id]) for fact in newest[:_MOST_ORDERS]]


def met_lessons(database: FactDatabase, prompt: str, caller: Caller, around: RecallContext) -> list[Hit]:
    """Return the lessons of an error that a prompt meets again, the likest first; none when it meets no error."""
    if not meets_error(prompt):
        return []
    met = error_terms(prompt)
    lessons = sorted(_held(database, (Category.LESSON,), caller, around), key=lambda one: one.recorded_at)[-_MOST_READ:]
    found = [(likeness(met, error_terms(fact.text)), fact) for fact in lessons]
    likest = sorted((one for one in found if one[0] > 0), key=lambda one: (-one[0], -one[1].recorded_at.timestamp()))
    return [_hit(fact, round(min(score, 1.0), 6), around) for score, fact in likest[:_MOST_LESSONS]]


def _is_of_project(fact: Fact) -> bool:
    return fact.entity.startswith(PROJECTS)


def _held(database: FactDatabase, categories: Sequence[Category], caller: Caller, around: RecallContext) -> list[Fact]:
    """Return the facts of some categories that hold now and may be shown to who asks."""
    scopes = visible_scopes(caller)
    listed = [
        fact
        for category in categories
        for fact in database.list_facts(FactFilter(category=category.value, scopes=scopes))
    ]
    held = (fact for fact in listed if fact.trust != Trust.QUARANTINED and holds_now(fact, around.now))
    return [fact for fact in held if not is_archived(fact.entity)]


def _hit(fact: Fact, score: float, around: RecallContext, order: dict[str, Any] | None = None) -> Hit:
    return Hit(
        id=fact.id,
        kind="fact",
        text=fact.text,
        score=score,
        date=written_begin(fact, around.zone),
        entity=fact.entity,
        source=source_words(fact.source),
        trust=fact.trust,
        order=order,
    )
