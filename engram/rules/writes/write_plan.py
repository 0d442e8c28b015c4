"""What a write does to the state: confirm, create, supersede, open a tension. Pure: values in, plan out."""

import datetime as dt
from collections.abc import Sequence

from engram.model.changes.change import Change
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactSuperseded
from engram.model.commands.command import Outcome
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.trust.authority import authority_of
from engram.rules.writes.candidates import Mention
from engram.rules.writes.candidates import beginning
from engram.rules.writes.candidates import find_rejected
from engram.rules.writes.candidates import find_waiting
from engram.rules.writes.candidates import in_place_of
from engram.rules.writes.candidates import is_same_occasion
from engram.rules.writes.candidates import put_together
from engram.rules.writes.effect import render_effect
from engram.rules.writes.known_statement import find_same
from engram.rules.writes.known_statement import plan_same
from engram.rules.writes.known_statement import slot_of
from engram.rules.writes.plan import Plan
from engram.rules.writes.plan import list_similar
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Compared
from engram.rules.writes.situation import Situation
from engram.rules.writes.situation import with_refused
from engram.rules.writes.situation import within_reach
from engram.rules.writes.succession import Order
from engram.rules.writes.succession import find_course
from engram.rules.writes.succession import inherited
from engram.rules.writes.succession import is_correction
from engram.rules.writes.succession import overtaken
from engram.rules.writes.succession import placed
from engram.rules.writes.succession import plan_course
from engram.rules.writes.succession import plan_use
from engram.rules.writes.targets import find_targets
from engram.rules.writes.targets import with_renewed
from engram.rules.writes.tensions import list_excluded
from engram.rules.writes.tensions import open_tensions
from engram.rules.writes.version import new_version


def plan_write(draft: Draft, analysis: Analysis, situation: Situation) -> Plan:
    """Decide what a write does.

    What is out of the reach of its word stays, in a tension with what was to take its place.
    """
    at = within_reach(draft, analysis, situation)
    over: tuple[Fact, ...] = ()
    same = find_same(analysis, at.known)
    if same is not None and same not in at.replaced:
        if (plan := plan_same(draft, analysis, at, same)) is not None:
            return plan
        over = () if same.superseded_by else (same,)  # what another one took over from is no part of its chain any more
        draft = draft.model_copy(update={name: getattr(same, name) for name in slot_of(draft, same)})
    return _plan_unbelieved(draft, analysis, at) or _plan_new(draft, analysis, at, over)


def _plan_unbelieved(draft: Draft, analysis: Analysis, at: Situation) -> Plan | None:
    """Return what a write does that is not believed: refused, quarantined, or waiting; None when it is."""
    if waiting_for_person := [old for old in at.refused if old.status != Status.ACTIVE]:
        reason = f"{waiting_for_person[0].id} waits for a person, who alone may let another take its place"
        return Plan(Outcome.REFUSED, waiting_for_person[0].id, (), reason=reason)
    if analysis.trust == Trust.QUARANTINED:
        fact = new_version(draft, analysis, entity=at.entity, now=at.now)
        fact = fact.model_copy(update={"status": Status.PENDING, "reason": analysis.reason})
        return Plan(Outcome.QUARANTINED, fact.id, (FactRecorded(fact=fact),), reason=analysis.reason)
    waiting = find_waiting(analysis.fingerprint, (one.fact for one in at.known))
    if draft.candidate and (waiting is None or is_same_occasion(waiting, draft, at.now, at.zone)):
        return _plan_wait(draft, analysis, waiting, at)
    return None


def _plan_new(draft: Draft, analysis: Analysis, at: Situation, over: tuple[Fact, ...]) -> Plan:
    """Return what a write does that says something new; `over` is the version that said the same before."""
    waiting = find_waiting(analysis.fingerprint, (one.fact for one in at.known))
    mention = None if waiting is None or waiting in at.replaced else put_together(waiting, draft, analysis.trust)
    word = at.reach(draft, analysis)
    if mention is not None:
        draft, analysis = mention.draft, _mentioned(analysis, draft, mention)
    live = with_refused([one for one in at.known if one.fact.status == Status.ACTIVE], at.refused)
    targets = at.replaced or with_renewed(find_targets(draft, analysis, live, word), at.renewed)
    # What holds now does not wait for the end that somebody less trusted has planned.
    if draft.valid_from is None and not at.replaced:
        targets = [old for old in targets if old.valid_from <= at.now or authority_of(old) >= word]
    if mention is not None and mention.is_of_one_trust and not is_correction(draft):
        draft = draft.model_copy(update=beginning(mention.candidate, draft, targets, at.now))
    wrong = is_correction(draft) and not at.renewed
    order = Order.WRONG if wrong else Order.BY_TIME if analysis.single_valued and not draft.supersedes else Order.NAMED
    course = find_course(draft, targets, at.beside, now=at.now, zone=at.zone, order=order, renewed=at.renewed)._replace(
        over=over
    )
    course = course if at.replaced else overtaken(course, at.outdated_by, draft.valid_from or at.now, at.now)
    fact = new_version(draft, analysis, entity=at.entity, chain=course.chain, wrong=wrong, now=at.now)
    fact = fact if mention is None else in_place_of(mention.candidate, fact)
    fact = placed(inherited(draft, fact, course.chain), course, at.now)
    around = plan_course(course, fact, at.now, wrong=wrong)
    recorded = _recorded(fact, mention, at.now)
    if course.is_past and course.after is not None:
        return _plan_past((*recorded, *around), fact, course.after, at.known, repeats=mention is not None)
    opened = open_tensions(fact, list_excluded(live, targets, fact, at.no_conflict), at.tension_count, at.now)
    gone = [change.id for change in around if isinstance(change, FactSuperseded)]
    return Plan(
        Outcome.SUPERSEDED if gone else Outcome.TENSION if opened else Outcome.CREATED,
        fact.id,
        (*recorded, *plan_use([*course.replaced, *over], at.usages, fact), *around, *opened),
        superseded=tuple(gone),
        tensions=tuple(change.tension.id for change in opened),
        similar=list_similar([one for one in at.known if one.fact not in targets]),  # what it replaces is named already
        reason=render_effect(draft, fact, course, opened, mention, at.zone),
        repeats=mention is not None,
    )


def _plan_past(
    changes: tuple[Change, ...], fact: Fact, after: Fact, known: Sequence[Compared], *, repeats: bool
) -> Plan:
    """Return what a write does that tells what held before another."""
    stays = ", which stays current" if after.status == Status.ACTIVE else ""
    reason = f"it held before {after.id}{stays}"
    return Plan(Outcome.CREATED, fact.id, changes, similar=list_similar(known), reason=reason, repeats=repeats)


def _plan_wait(draft: Draft, analysis: Analysis, waiting: Fact | None, at: Situation) -> Plan:
    """Let a statement wait, count it when it waits already, and let it go when somebody has taken it back."""
    if waiting is not None:
        reason = f"waits already as {waiting.id}, and was said on the same occasion"
        counted = FactConfirmed(id=waiting.id, at=at.now, source=draft.source)
        return Plan(Outcome.CONFIRMED, waiting.id, (counted,), reason=reason, waits=True, repeats=True)
    if (rejected := find_rejected(analysis.fingerprint, (one.fact for one in at.known))) is not None:
        reason = f"{rejected.id} said the same and was taken back: it is not proposed again"
        return Plan(Outcome.REFUSED, rejected.id, (), reason=reason)
    fact = new_version(draft, analysis, entity=at.entity, now=at.now).model_copy(update={"status": Status.CANDIDATE})
    reason = "waits as a candidate until it is said again or confirmed"
    return Plan(
        Outcome.CREATED, fact.id, (FactRecorded(fact=fact),), similar=list_similar(at.known), reason=reason, waits=True
    )


def _mentioned(analysis: Analysis, draft: Draft, mention: Mention) -> Analysis:
    """Return the analysis of what a candidate and its mention come to; a slot that only a stranger names is none."""
    analysis = analysis._replace(trust=mention.trust)
    if not mention.is_by_less_trusted:
        return analysis
    if (draft.attribute, draft.value) != (mention.draft.attribute, mention.draft.value):
        return analysis._replace(single_valued=False, attribute_names=frozenset(), slot_was_read=True)
    return analysis._replace(slot_was_read=True)


def _recorded(fact: Fact, mention: Mention | None, now: dt.datetime) -> tuple[Change, ...]:
    """Return the changes that put the fact in: as a new one, or in the place of the candidate that was mentioned."""
    if mention is None:
        return (FactRecorded(fact=fact),)
    return (FactRestored(fact=fact, at=now), FactConfirmed(id=fact.id, at=now, source=mention.other))
