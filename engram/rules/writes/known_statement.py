"""What a write does whose statement is known already: it is counted, or becomes a new version of itself. Pure."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionOpened
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.rules.trust.authority import may_retire
from engram.rules.writes.confirmation import plan_vouching
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.plan import Plan
from engram.rules.writes.restatement import Restatement
from engram.rules.writes.restatement import find_restatement
from engram.rules.writes.retraction import end_of
from engram.rules.writes.situation import OUT_OF_REACH
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Compared
from engram.rules.writes.situation import Situation
from engram.rules.writes.succession import Course
from engram.rules.writes.succession import is_correction
from engram.rules.writes.succession import lifted_ends
from engram.rules.writes.succession import plan_course
from engram.rules.writes.succession import plan_supersede
from engram.rules.writes.succession import plan_use
from engram.rules.writes.tensions import open_tensions
from engram.rules.writes.tensions import render_tensions
from engram.rules.writes.version import new_version

# What a statement that is said again keeps of the version before it, unless it says otherwise.
_KEPT: Final = (
    *("category", "attribute", "value", "confidence", "abstraction", "tags", "related", "scope", "derived_from"),
    *("valid_from", "valid_from_precision", "valid_to", "valid_to_precision"),
)


def find_same(analysis: Analysis, known: Sequence[Compared]) -> Fact | None:
    """The one that says the same: active, or waiting in quarantine when the draft would be quarantined too."""
    wanted = Status.PENDING if analysis.trust == Trust.QUARANTINED else Status.ACTIVE
    found = [one.fact for one in known if one.fact.fingerprint == analysis.fingerprint and one.fact.status == wanted]
    return found[-1] if found else None


def plan_same(draft: Draft, analysis: Analysis, at: Situation, same: Fact) -> Plan | None:
    """Return what a write does whose statement is known: None when it holds again, as a fact of its own."""
    said = find_restatement(draft, same, at.now, at.zone)
    is_alone = not (at.replaced or at.renewed or at.refused or draft.candidate)
    is_new = bool(said.update) and is_alone and may_retire(at.reach(draft, analysis), same)
    if is_new and said.comes_back:
        return None
    if is_new:
        whole = new_version(draft, analysis, entity=at.entity, chain=[same], now=at.now)
        return _plan_restate(draft, analysis, whole, same, said, usages=at.usages, beside=at.beside)
    disputed = [Compared(old, OUT_OF_REACH) for old in at.refused if {old.id, same.id} not in at.in_tension]
    opened = open_tensions(same, [one for one in disputed if one.fact != same], at.tension_count, at.now)
    return _plan_confirm(draft, analysis, same, [*at.replaced, *at.renewed], said, at.now, opened)


def slot_of(draft: Draft, same: Fact) -> tuple[str, ...]:
    """Return the fields of its slot that a statement that holds again takes over: nobody said them again."""
    return () if draft.attribute or draft.value or not same.attribute else ("attribute", "value")


def _plan_confirm(
    draft: Draft,
    analysis: Analysis,
    same: Fact,
    replaced: list[Fact],
    said: Restatement,
    now: dt.datetime,
    opened: list[TensionOpened],
) -> Plan:
    """The statement is there already: count it; what it was to replace gives way to it, unless that is out of reach.

    A person who writes it makes it trusted; one who is only read in a transcript does not. What waits in quarantine is
    refused the second time as it was the first.
    """
    freed = tuple(change for old in replaced for change in lifted_ends(old, {same.id: same}, now))  # of a plan for it
    same = freed[-1].fact if freed else same
    confirmed = FactConfirmed(id=same.id, at=now, source=draft.source)
    retired = tuple(plan_supersede(old, same, now, wrong=is_correction(draft)) for old in replaced)
    status = Outcome.SUPERSEDED if retired else Outcome.TENSION if opened else Outcome.CONFIRMED
    told = [render_tensions(opened)] if opened else []
    if analysis.trust == Trust.QUARANTINED:
        status, told = Outcome.QUARANTINED, [*told, analysis.reason]
    raised = plan_vouching(same, draft.source.actor, now) if analysis.trust == Trust.TRUSTED else ()
    return Plan(
        status,
        same.id,
        (confirmed, *freed, *raised, *retired, *opened),
        superseded=tuple(old.id for old in replaced),
        tensions=tuple(change.tension.id for change in opened),
        reason="; ".join([f"already known as {same.id}", *_left(said), *told]),
        repeats=not retired and not opened,
    )


def _plan_restate(
    draft: Draft,
    analysis: Analysis,
    whole: Fact,
    same: Fact,
    said: Restatement,
    *,
    usages: Mapping[str, Usage],
    beside: Sequence[Fact],
) -> Plan:
    """The same words say something else of when it holds, or of its value or tags: a new version.

    `whole` is what the draft would be by itself.
    """
    now = whole.recorded_at
    kept = {name: getattr(same, name) for name in _KEPT}
    if "valid_to" not in said.update:
        kept["superseded_by"] = same.superseded_by  # a plan ends it
    raised = draft.source.actor == Actor.USER and analysis.trust == Trust.TRUSTED
    trust = analysis.trust if raised else least_trusted(analysis.trust, [same])
    fact = whole.model_copy(update={**kept, **said.update, "trust": trust})
    gone = FactSuperseded(id=same.id, by=fact.id, at=now, was_wrong=said.was_wrong, reason="said again otherwise")
    if not said.was_wrong:
        gone = gone.model_copy(update={**end_of(same, fact.valid_from, fact.valid_from_precision)})
    course = Course(passed_on=tuple(one for one in beside if one.superseded_by == same.id))
    return Plan(
        Outcome.SUPERSEDED,
        fact.id,
        (FactRecorded(fact=fact), *plan_use([same], usages, fact), gone, *plan_course(course, fact, now)),
        superseded=(same.id,),
        reason="; ".join([f"says again what {same.id} says", *said.said, *_left(said)]),
    )


def _left(said: Restatement) -> list[str]:
    return [f"not taken over: {', '.join(said.left)}"] if said.left else []
