"""How statements about one thing follow each other in time: what a new one ends, and what ends it. Pure.

| the new one begins | what holds by then | what begins later |
|---|---|---|
| now or earlier | is retired, and ends where the new one begins | is planned, and ends the new one |
| later | goes on until that day, and has ended then | ends the new one |
| before what holds now | ends where the new one begins | stays current: the new one is history |

Where nobody named a beginning the journal's order counts: what comes later is newer, whatever the clock said.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from enum import Enum
from enum import auto
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.model.changes.change import Change
from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactSuperseded
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.model.vocabulary import Precision
from engram.rules.temporal import ends_at
from engram.rules.temporal import has_ended
from engram.rules.temporal import life_fields
from engram.rules.temporal import names_its_beginning
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.retraction import End
from engram.rules.writes.retraction import end_of

_PLANNED_END: Final = ("valid_to", "valid_to_precision", "superseded_by")


class Course(NamedTuple):
    """What a new statement does to the statements whose place it takes, and how long it holds itself."""

    replaced: tuple[Fact, ...] = ()  # retired by it at once
    ending: tuple[Fact, ...] = ()  # go on until it begins: it is planned
    shortened: tuple[Fact, ...] = ()  # history that it ends earlier than was known
    passed_on: tuple[Fact, ...] = ()  # were to end where a plan begins that is replaced: now where it begins
    over: tuple[Fact, ...] = ()  # said the same, and had ended: it holds again
    after: Fact | None = None  # what begins next and ends it
    is_past: bool = False  # what comes after it has begun: it is history itself

    @property
    def chain(self) -> list[Fact]:
        """The versions that it follows; those that only wait to be believed where there are no others."""
        every = [*self.over] if self.is_past else [*self.replaced, *self.ending, *self.over]
        return [fact for fact in every if fact.status == Status.ACTIVE] or every


class Order(Enum):
    """By what it is told which of two statements of one thing follows the other."""

    WRONG = auto()  # what is replaced never held
    NAMED = auto()  # somebody named what is replaced, or its words tell it
    BY_TIME = auto()  # the beginnings tell it: of such things only one holds at a time


def is_correction(draft: Draft) -> bool:
    """Tell whether what a draft replaces never held."""
    return draft.corrects or draft.category == Category.CORRECTION


def find_course(
    draft: Draft,
    targets: Sequence[Fact],
    beside: Iterable[Fact],
    *,
    now: dt.datetime,
    zone: dt.tzinfo,
    order: Order,
    renewed: Sequence[Fact] = (),
) -> Course:
    """Return how a draft stands in time to what it takes the place of.

    A plan that another plan brings up to date never comes: only the day of it is another one now.

    Args:
        draft: what is said.
        targets: the active facts whose place it takes.
        beside: what held before in the same slot with other values, and what ends where one of the targets begins.
        now: when it is said.
        zone: tells one day from another.
        order: by what it is told what follows what.
        renewed: those of the targets that it brings up to date.
    """
    beside = list(beside)
    begins = draft.valid_from or now
    moved = [fact for fact in renewed if begins > now and begins_at(fact, now) > now]
    targets = [fact for fact in targets if fact not in moved]
    if order == Order.WRONG:
        course = Course(replaced=tuple(targets))
    elif order == Order.BY_TIME:
        course = _in_order(draft, targets, [fact for fact in beside if fact.status == Status.SUPERSEDED], now, zone)
    else:
        course = _replacing(targets, begins, now)
    course = course._replace(replaced=(*course.replaced, *moved))
    plans = {fact.id for fact in course.replaced if begins_at(fact, now) > now}
    passed_on = (one for one in beside if one.status == Status.ACTIVE and one.superseded_by in plans)
    return course._replace(passed_on=tuple(one for one in passed_on if one not in course.replaced))


def _in_order(
    draft: Draft, targets: Sequence[Fact], history: Sequence[Fact], now: dt.datetime, zone: dt.tzinfo
) -> Course:
    begins = draft.valid_from or now
    held = [fact for fact in history if _ends_after(fact, fact.valid_from)]
    later = [fact for fact in (*targets, *held) if _begins_later(fact, draft, now, zone)]
    after = min(later, key=lambda fact: (begins_at(fact, now), fact.id), default=None)
    shortened = tuple(fact for fact in held if _covers(fact, begins) and fact not in later)
    if after is not None and begins_at(after, now) <= now:
        return Course(shortened=shortened, after=after, is_past=True)
    before = [fact for fact in targets if fact not in later]
    if draft.valid_to is not None and draft.valid_to <= now:  # it was over before it was told
        gone = [fact for fact in before if has_ended(fact, now)]
        return Course(replaced=tuple(gone), shortened=shortened, after=after)
    return _replacing(before, begins, now)._replace(shortened=shortened, after=after)


def begins_at(fact: Fact, now: dt.datetime) -> dt.datetime:
    """Return from when a fact holds; one without a named beginning never later than now, whatever the clock said."""
    return fact.valid_from if names_its_beginning(fact) else min(fact.valid_from, now)


def _replacing(targets: Iterable[Fact], begins: dt.datetime, now: dt.datetime) -> Course:
    if begins <= now:
        return Course(replaced=tuple(targets))
    believed = [fact for fact in targets if fact.status == Status.ACTIVE and begins_at(fact, now) < begins]
    ending = tuple(fact for fact in believed if _ends_after(fact, begins))
    return Course(replaced=tuple(fact for fact in targets if fact not in believed), ending=ending)


def _begins_later(fact: Fact, draft: Draft, now: dt.datetime, zone: dt.tzinfo) -> bool:
    if draft.valid_from is None:
        return names_its_beginning(fact) and fact.valid_from > now
    begins = begins_at(fact, now)
    if begins <= draft.valid_from:
        return False
    names_a_day = draft.valid_from.astimezone(zone).time() == dt.time()
    is_of_that_day = local_day(begins, zone) == local_day(draft.valid_from, zone)
    return names_its_beginning(fact) or not (names_a_day and is_of_that_day)  # of one day the journal tells the order


def _covers(fact: Fact, at: dt.datetime) -> bool:
    return fact.valid_from < at and _ends_after(fact, at)


def _ends_after(fact: Fact, at: dt.datetime) -> bool:
    end = ends_at(fact)
    return end is None or end > at


def placed(fact: Fact, course: Course, now: dt.datetime) -> Fact:
    """Return a new fact as its place among the others makes it: until when it holds, and whether it is history."""
    if course.after is None:
        return _with_plan(fact, course.replaced)
    never_came = course.is_past and begins_at(fact, now) > now
    last = fact.valid_from if never_came else begins_at(course.after, now)
    ends = end_of(fact, last, course.after.valid_from_precision)
    life: dict[str, Any] = {"superseded_by": course.after.id}
    if course.is_past:
        life |= {"status": Status.SUPERSEDED, "known_to": now}
    elif has_ended(fact, begins_at(course.after, now)):
        life = {}  # it ends by itself
    return fact.model_copy(update={**ends, **life})


def _with_plan(fact: Fact, replaced: Iterable[Fact]) -> Fact:
    """Return a fact that ends where the plan begins that was to end one of those whose place it takes."""
    plans = [old for old in replaced if old.superseded_by and old.valid_to and old.valid_to > fact.valid_from]
    if not plans or ends_at(fact) is not None:
        return fact
    first = min(plans, key=lambda old: (old.valid_to or fact.valid_from, old.id))
    return fact.model_copy(update={name: getattr(first, name) for name in _PLANNED_END})


def overtaken(course: Course, later: Fact | None, begins: dt.datetime, now: dt.datetime) -> Course:
    """Return the course of a statement of which it is known that a later one has said something else since.

    `begins` is when the statement begins: a plan that was moved to another day since is history before it comes.
    """
    if later is None or course.is_past:
        return course
    if begins_at(later, now) <= now or begins > now:
        return Course(shortened=course.shortened, over=course.over, after=later, is_past=True)
    is_next = course.after is None or begins_at(later, now) < begins_at(course.after, now)
    return course._replace(after=later if is_next else course.after)


def plan_course(course: Course, new: Fact, now: dt.datetime, *, wrong: bool = False) -> tuple[Change, ...]:
    """Return what the new fact does to those around it, but for tensions; `wrong`: what it replaces never held."""
    retired = [plan_supersede(old, new, now, wrong=wrong) for old in course.replaced]
    over = [plan_supersede(old, new, now) for old in course.over if has_ended(old, now)]
    planned = begins_at(new, now) > now
    moved = [_ended(old, new, now) if planned else plan_supersede(old, new, now) for old in course.passed_on]
    ending = [_ended(old, new, now) for old in course.ending]
    shorter = [FactRestored(fact=old.model_copy(update={**_end(old, new)}), at=now) for old in course.shortened]
    return (*retired, *over, *moved, *ending, *shorter)


def plan_supersede(old: Fact, new: Fact, now: dt.datetime, *, wrong: bool = False) -> FactSuperseded:
    """Return the change that lets a new fact take the place of an old one at once; `wrong`: that never held."""
    if wrong:
        return FactSuperseded(id=old.id, by=new.id, at=now, was_wrong=True, reason="corrected")
    reason = "replaced by a newer statement"
    never_came = begins_at(old, now) > now and old.valid_from < new.valid_from
    end = end_of(old, old.valid_from, old.valid_from_precision) if never_came else _end(old, new)
    return FactSuperseded(id=old.id, by=new.id, at=now, was_wrong=False, reason=reason, **end)


def plan_take_over(old: Fact, kept: Fact, now: dt.datetime, reason: str) -> FactSuperseded | FactRestored:
    """Return the change that lets a kept fact take the place of another one: a planned one does so on its day."""
    if begins_at(kept, now) > now and begins_at(old, now) < begins_at(kept, now):
        return _ended(old, kept, now)
    return plan_supersede(old, kept, now).model_copy(update={"reason": reason})


def _end(old: Fact, new: Fact) -> End:
    return end_of(old, new.valid_from, new.valid_from_precision)


def _ended(old: Fact, new: Fact, now: dt.datetime) -> FactRestored:
    """Return the change that lets a fact go on until a planned one begins."""
    free = old.model_copy(update={**_own_end(old), "superseded_by": None})  # as if no plan ended it
    return FactRestored(fact=free.model_copy(update={**_end(free, new), "superseded_by": new.id}), at=now)


def _own_end(fact: Fact) -> dict[str, Any]:
    """Return the end that was said of a fact itself, as fields, where a plan may have ended it earlier."""
    if fact.superseded_by is None:
        return {}
    said = next((one for one in reversed(fact.beliefs) if one.superseded_by is None), None)
    no_end = {"valid_to": None, "valid_to_precision": Precision.DAY}
    return no_end if said is None else {"valid_to": said.valid_to, "valid_to_precision": said.valid_to_precision}


def inherited(draft: Draft, new: Fact, chain: Sequence[Fact]) -> Fact:
    """Return a new fact with what nobody said otherwise of the ones that somebody named as replaced, or as wrong.

    It is made of what they were made of, and trusted no more than they are.
    """
    if not chain or not (draft.supersedes or draft.corrects):
        return new
    made_of = dict.fromkeys(key for old in chain for key in old.derived_from)
    update = {"derived_from": new.derived_from or tuple(made_of), "trust": least_trusted(new.trust, chain)}
    return new.model_copy(update=update)


def plan_use(replaced: Sequence[Fact], usages: Mapping[str, Usage], new: Fact) -> tuple[Change, ...]:
    """Return the changes that let a new fact be used as those were whose place it takes: pinned, and as often."""
    used = [usages[old.id] for old in replaced if old.id in usages]
    pinned = (FactPinned(id=new.id, pinned=True),) if any(one.pinned for one in used) else ()
    count = sum(one.access_count for one in used)
    last = max((one.last_accessed_at for one in used if one.last_accessed_at is not None), default=None)
    accessed = (FactAccessed(id=new.id, at=last, count=count),) if count and last is not None else ()
    return (*pinned, *accessed)


def lifted_ends(gone: Fact, facts: Mapping[str, Fact], now: dt.datetime) -> tuple[FactRestored, ...]:
    """Return the changes that let go on what was to end where a fact begins that is taken back before its day.

    It ends where that one was to end by another plan, else by itself.
    """
    if gone.status != Status.ACTIVE or begins_at(gone, now) <= now:
        return ()
    plan = {name: getattr(gone, name) for name in _PLANNED_END} if gone.superseded_by else None
    return tuple(
        FactRestored(fact=old.model_copy(update=plan or {**_own_end(old), "superseded_by": None}), at=now)
        for old in facts.values()
        if old.status == Status.ACTIVE and old.superseded_by == gone.id
    )


def life_before(fact: Fact, at: dt.datetime) -> dict[str, Any] | None:
    """Return the life that a fact had before the change of an instant, as fields; None when nothing changed then."""
    return next((life_fields(one) for one in reversed(fact.beliefs) if one.until == at), None)
