"""What held at a moment of the past: the one rule for listings and for recall."""

import datetime as dt
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.temporal import as_believed
from engram.rules.temporal import ends_at
from engram.rules.temporal import visible

_Slot = tuple[str, str, str]  # entity, scope, attribute


class HeldSpan(NamedTuple):
    """A fact and one time in which it held in the world."""

    fact: Fact
    begins_at: dt.datetime
    ends_at: dt.datetime | None  # excluded; None: it goes on


def held_at(facts: Iterable[Fact], as_of: dt.datetime | None, as_known: dt.datetime | None) -> list[Fact]:
    """Return the facts that held at a moment of the world as it was known at another one, as they stood then.

    Of several values of a slot that holds one at a time, only the one that began last, however often it is told: all
    facts of an entity that may be seen have to be among those given.
    """
    seen = (as_believed(fact, as_known) for fact in facts if visible(fact, as_of=as_of, as_known=as_known))
    believed = [fact for fact in seen if fact is not None]
    return _one_per_slot(believed) if as_of is not None else believed


def held_spans(facts: Iterable[Fact], as_known: dt.datetime | None = None) -> list[HeldSpan]:
    """Return from when until when facts held, as it was known at a moment: what `held_at` says of every moment."""
    spans: list[HeldSpan] = []
    slots: dict[_Slot, list[Fact]] = {}
    for fact in facts:
        believed = as_believed(fact, as_known)
        if believed is None or not _may_hold(believed) or fact.trust == Trust.QUARANTINED:
            continue
        if (slot := single_slot(believed)) is None:
            spans.append(HeldSpan(believed, believed.valid_from, ends_at(believed)))
        else:
            slots.setdefault(slot, []).append(believed)
    for rivals in slots.values():
        spans += _spans_of_rivals(rivals)
    return spans


def _may_hold(fact: Fact) -> bool:
    if fact.trust == Trust.QUARANTINED:
        return False
    return fact.status == Status.ACTIVE or (fact.status == Status.SUPERSEDED and not fact.was_wrong)


def _spans_of_rivals(rivals: list[Fact]) -> list[HeldSpan]:
    """Return the spans of facts of one slot: between two turns, at which one begins or ends, the same ones hold."""
    turns = sorted({at for fact in rivals for at in (fact.valid_from, ends_at(fact)) if at is not None})
    spans: list[HeldSpan] = []
    going_on: dict[str, dt.datetime] = {}  # fact -> since when
    for at, until in pairwise([*turns, None]):
        held = {fact.id for fact in held_at(rivals, at, None)} if at is not None else set()
        going_on |= {key: at for key in held if key not in going_on and at is not None}
        after = {fact.id for fact in held_at(rivals, until, None)} if until is not None else set()
        spans += [
            HeldSpan(fact, going_on.pop(fact.id), until)
            for fact in rivals
            if fact.id in going_on and (until is None or fact.id not in after)
        ]
    return spans


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
