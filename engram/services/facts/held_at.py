"""What held at a moment of the past: the one rule for listings and for recall."""

import datetime as dt
from collections.abc import Iterable

from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.model.fact import Fact
from engram.rules.temporal import as_believed
from engram.rules.temporal import visible

_Slot = tuple[str, str, str]  # entity, scope, attribute


def held_at(facts: Iterable[Fact], as_of: dt.datetime | None, as_known: dt.datetime | None) -> list[Fact]:
    """Return the facts that held at a moment of the world as it was known at another one, as they stood then.

    Of several values of a slot that holds one at a time, only the one that began last, however often it is told: all
    facts of an entity that may be seen have to be among those given.
    """
    seen = (as_believed(fact, as_known) for fact in facts if visible(fact, as_of=as_of, as_known=as_known))
    believed = [fact for fact in seen if fact is not None]
    return _one_per_slot(believed) if as_of is not None else believed


def single_slot(fact: Fact) -> _Slot | None:
    """Return the slot of a fact when it holds one value at a time."""
    if fact.attribute is None or not single_valued(fact.attribute):
        return None
    return fact.entity, fact.scope, canonical(fact.attribute)


def _one_per_slot(facts: list[Fact]) -> list[Fact]:
    latest: dict[_Slot, Fact] = {}
    for fact in facts:
        if (slot := single_slot(fact)) is not None:
            latest[slot] = max(latest.get(slot, fact), fact, key=lambda one: (one.valid_from, one.recorded_at))
    return [fact for fact in facts if (slot := single_slot(fact)) is None or _holds(fact, latest[slot])]


def _holds(fact: Fact, latest: Fact) -> bool:
    told_again = fact.value is not None and latest.value is not None and same_value(fact.value, latest.value)
    return fact.id == latest.id or told_again
