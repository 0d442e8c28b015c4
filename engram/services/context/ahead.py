"""What lies ahead: promises that are overdue, what has a day to come, and what was promised without one."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.model.fact import Category
from engram.model.fact import Fact
from engram.rules.origin import OWNERS
from engram.rules.temporal import SHOWN_OVERDUE
from engram.rules.temporal import due_at
from engram.rules.temporal import has_begun
from engram.rules.temporal import overdue_since
from engram.rules.temporal import written_begin
from engram.rules.temporal import written_end
from engram.rules.temporal import written_overdue
from engram.services.context.knowledge import Knowledge
from engram.services.context.orders import is_listed_as_order

_MOST_OVERDUE: Final = 5  # promises of a block: the owner's first, and the latest; so there is room for what is to come
_YEAR = dt.timedelta(days=366)  # how far ahead a day has to be to be no date that anybody waits for


class Ahead(NamedTuple):
    """What lies ahead of whoever works for the owner."""

    facts: Sequence[Fact]  # in order: the latest overdue, the nearest day to come, what has no day
    day_of: Mapping[str, str]  # the day of each in words, by its id; "" for none
    overdue: frozenset[str]  # ids of all that are overdue, also of those that are too many


def is_ahead(fact: Fact, known: Knowledge) -> bool:
    """Tell whether a fact is a promise, or has a day to come that somebody waits for."""
    if not has_begun(fact, known.now):
        return fact.valid_from - known.now < _YEAR
    if is_listed_as_order(fact) and known.origin(fact) in OWNERS:
        return False  # it stands among the instructions, with the day that ends it
    promised = fact.category == Category.COMMITMENT
    return promised if fact.valid_to is None else promised or fact.valid_to - known.now < _YEAR


def order_ahead(facts: Sequence[Fact], known: Knowledge) -> Ahead:
    """Return facts that lie ahead in their order, without the promises that are too many and overdue."""
    day_of = {fact.id: _day_to_come(fact, known) for fact in facts}
    dated = sorted((fact for fact in facts if day_of[fact.id]), key=lambda one: (_due(one, known.now), one.id))
    overdue = [fact for fact in dated if overdue_since(fact, known.now, known.zone)]
    owners_last = sorted(overdue, key=lambda one: known.origin(one) in OWNERS)  # no agent displaces what they owe
    latest = owners_last[-_MOST_OVERDUE:]
    kept = [fact for fact in overdue if fact in latest]
    to_come = [fact for fact in dated if fact not in overdue]
    without_day = [fact for fact in facts if not day_of[fact.id]]
    return Ahead([*kept, *to_come, *without_day], day_of, frozenset(fact.id for fact in overdue))


def is_long_overdue(fact: Fact, known: Knowledge) -> bool:
    """Tell whether a promise is overdue for so long that no block shows it any more."""
    since = overdue_since(fact, known.now, known.zone)
    return since is not None and since <= known.now - SHOWN_OVERDUE


def _day_to_come(fact: Fact, known: Knowledge) -> str:
    """Return the day to come of a fact in words, "" when it has none."""
    if not has_begun(fact, known.now):
        return f"from {written_begin(fact, known.zone)}"
    if overdue := written_overdue(fact, known.now, known.zone):
        return f"overdue since {overdue}"
    if fact.valid_to is None:
        return ""
    return f"{'until' if due_at(fact) is None else 'due'} {written_end(fact, known.zone)}"


def _due(fact: Fact, now: dt.datetime) -> dt.datetime:
    """Return the day to come of a fact that has one."""
    return fact.valid_from if fact.valid_to is None or fact.valid_from > now else fact.valid_to
