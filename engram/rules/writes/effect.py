"""What a write comes to, in words. Pure."""

import datetime as dt
from collections.abc import Iterable

from engram.model.changes.change import TensionOpened
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.rules.temporal import written_begin
from engram.rules.writes.candidates import Mention
from engram.rules.writes.succession import Course
from engram.rules.writes.succession import is_correction
from engram.rules.writes.tensions import render_tensions


def render_effect(
    draft: Draft, fact: Fact, course: Course, opened: list[TensionOpened], mention: Mention | None, zone: dt.tzinfo
) -> str:
    """Say what a write does besides recording the fact; "" when it does no more."""
    told = ["it waited as a candidate"] if mention is not None else []
    told += _course(fact, course, zone) or _without_course(draft, opened)
    return "; ".join(told)


def _course(fact: Fact, course: Course, zone: dt.tzinfo) -> list[str]:
    told = []
    if course.ending:
        told.append(f"takes the place of {_ids(course.ending)} on {written_begin(fact, zone)}")
    if course.replaced:
        told.append(f"takes the place of {_ids(course.replaced)}")
    if course.over:
        told.append(f"says again what {_ids(course.over)} says; it holds again from {written_begin(fact, zone)}")
    if course.after is not None:
        told.append(f"holds until {course.after.id} begins on {written_begin(course.after, zone)}")
    return told


def _without_course(draft: Draft, opened: list[TensionOpened]) -> list[str]:
    if opened:
        return [render_tensions(opened)]
    return ["recorded; nothing was found that it corrects"] if is_correction(draft) else []


def _ids(facts: Iterable[Fact]) -> str:
    return ", ".join(fact.id for fact in facts)
