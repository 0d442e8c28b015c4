"""What a write does to the state: confirm, create, supersede, open a tension. Pure: values in, plan out."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final
from typing import NamedTuple

from engram.model.changes.change import Change
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionOpened
from engram.model.commands.command import Outcome
from engram.model.comparison import CORRECTED
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.model.tension import Tension
from engram.rules.temporal import names_its_beginning
from engram.rules.temporal import written_begin
from engram.rules.trust.authority import Authority
from engram.rules.trust.authority import authority_of
from engram.rules.trust.authority import authority_to_say
from engram.rules.trust.authority import may_retire
from engram.rules.writes.candidates import Mention
from engram.rules.writes.candidates import beginning
from engram.rules.writes.candidates import find_rejected
from engram.rules.writes.candidates import find_waiting
from engram.rules.writes.candidates import in_place_of
from engram.rules.writes.candidates import is_same_occasion
from engram.rules.writes.candidates import put_together
from engram.rules.writes.confirmation import plan_vouching
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.restatement import Restatement
from engram.rules.writes.restatement import find_restatement
from engram.rules.writes.retraction import end_of
from engram.rules.writes.succession import Course
from engram.rules.writes.succession import Order
from engram.rules.writes.succession import find_course
from engram.rules.writes.succession import inherited
from engram.rules.writes.succession import is_correction
from engram.rules.writes.succession import lifted_ends
from engram.rules.writes.succession import overtaken
from engram.rules.writes.succession import placed
from engram.rules.writes.succession import plan_course
from engram.rules.writes.succession import plan_supersede
from engram.rules.writes.succession import plan_use

SERIES = 3  # more numbered siblings than this are a series (day 1, day 2, ...), not contradictions
NUMBERED = frozenset({"number", "date", "version", "update"})
SIMILAR = 0.6  # share of common words from which a statement is reported as similar; half are the subject and the verb
MENTION = "mention"  # a comparison that says that another value is given of what may be the same thing: also similar
MAX_SIMILAR = 5  # similar statements reported
_OUT_OF_REACH = Comparison(CORRECTED, 0.5, 0.0, "the newer statement was to take its place, and is trusted less")
# What a statement that is said again keeps of the version before it, unless it says otherwise.
_KEPT: Final = (
    *("category", "attribute", "value", "confidence", "abstraction", "tags", "related", "scope", "derived_from"),
    *("valid_from", "valid_from_precision", "valid_to", "valid_to_precision"),
)


class Analysis(NamedTuple):
    """What text analysis knows about the draft's statement."""

    fingerprint: str
    skeleton: str
    trust: Trust
    single_valued: bool  # the draft's attribute holds one value at a time
    reason: str = ""  # why it is quarantined, in words
    attribute_names: frozenset[str] = frozenset()  # every name of the draft's attribute
    slot_was_read: bool = False  # attribute and value were read from the text: the writer named none


class Compared(NamedTuple):
    """An active fact of the same entity and scope, and how the draft stands to it."""

    fact: Fact
    comparison: Comparison
    same_value: bool = False  # it has the draft's attribute, and the same value
    partly: bool = False  # the draft excludes one clause of it only, and the others still hold


class Plan(NamedTuple):
    """What will be done; nothing is done yet."""

    status: Outcome
    fact_id: str
    changes: tuple[Change, ...]
    superseded: tuple[str, ...] = ()
    tensions: tuple[str, ...] = ()
    similar: tuple[Compared, ...] = ()
    reason: str = ""
    waits: bool = False  # as a candidate
    repeats: bool = False  # a fact or candidate that was there already


class Situation(NamedTuple):
    """What is known when something is written, and when that is."""

    entity: Entity  # whom it is about
    known: Sequence[Compared]  # the entity's facts in the draft's scope that may matter (`may_matter`), oldest first
    tension_count: int  # how many tensions were ever opened
    now: dt.datetime
    zone: dt.tzinfo = dt.UTC  # tells one day from another
    replaced: Sequence[Fact] = ()  # active facts that the writer named with --supersedes
    renewed: Sequence[Fact] = ()  # what it brings up to date, whoever that is about
    outdated_by: Fact | None = None  # what was said after it of the same
    no_conflict: frozenset[tuple[str, ...]] = frozenset()  # pairs (`pair_of`) of which somebody said that both hold
    beside: Sequence[Fact] = ()  # versions that held before in its slot, and what is to end where a planned fact begins
    usages: Mapping[str, Usage] = MappingProxyType({})  # how facts are used
    in_tension: frozenset[frozenset[str]] = frozenset()  # ids of the two sides of each open tension
    word: Authority | None = None  # how far the word reaches of who asks for it, when that is not who says it
    refused: Sequence[Fact] = ()  # what it was to take the place of, and is out of its reach: set by `plan_write`

    def reach(self, draft: Draft, analysis: Analysis) -> Authority:
        """Return how far the word of the write reaches."""
        return self.word or authority_to_say(analysis.trust, draft.source)


def plan_write(draft: Draft, analysis: Analysis, situation: Situation) -> Plan:
    """Decide what a write does.

    What is out of the reach of its word stays, in a tension with what was to take its place.
    """
    at = _within_reach(draft, analysis, situation)
    over: tuple[Fact, ...] = ()
    same = _same(analysis, at.known)
    if same is not None and same not in at.replaced:
        if (plan := _plan_same(draft, analysis, at, same)) is not None:
            return plan
        over = () if same.superseded_by else (same,)  # what another one took over from is no part of its chain any more
        draft = draft.model_copy(update={name: getattr(same, name) for name in _slot_of(draft, same)})
    return _plan_unbelieved(draft, analysis, at) or _plan_new(draft, analysis, at, over)


def _within_reach(draft: Draft, analysis: Analysis, situation: Situation) -> Situation:
    """Return the situation with what the word of the write may not retire put apart."""
    word = situation.reach(draft, analysis)
    asked = {one.id: one for one in (*situation.replaced, *situation.renewed)}.values()
    refused = [old for old in asked if not may_retire(word, old)]
    later = situation.outdated_by
    return situation._replace(
        refused=refused,
        replaced=[old for old in situation.replaced if old not in refused],
        renewed=[old for old in situation.renewed if old not in refused],
        beside=[old for old in situation.beside if may_retire(word, old)],
        outdated_by=later if later is not None and authority_of(later) >= word else None,
    )


def _plan_same(draft: Draft, analysis: Analysis, at: Situation, same: Fact) -> Plan | None:
    """Return what a write does whose statement is known: None when it holds again, as a fact of its own."""
    said = find_restatement(draft, same, at.now, at.zone)
    is_alone = not (at.replaced or at.renewed or at.refused or draft.candidate)
    is_new = bool(said.update) and is_alone and may_retire(at.reach(draft, analysis), same)
    if is_new and said.comes_back:
        return None
    if is_new:
        whole = _fact(draft, analysis, entity=at.entity, chain=[same], now=at.now)
        return _plan_restate(draft, analysis, whole, same, said, usages=at.usages, beside=at.beside)
    disputed = [Compared(old, _OUT_OF_REACH) for old in at.refused if {old.id, same.id} not in at.in_tension]
    opened = _tensions(same, [one for one in disputed if one.fact != same], at.tension_count, at.now)
    return _plan_confirm(draft, analysis, same, [*at.replaced, *at.renewed], said, at.now, opened)


def _plan_unbelieved(draft: Draft, analysis: Analysis, at: Situation) -> Plan | None:
    """Return what a write does that is not believed: refused, quarantined, or waiting; None when it is."""
    if waiting_for_person := [old for old in at.refused if old.status != Status.ACTIVE]:
        reason = f"{waiting_for_person[0].id} waits for a person, who alone may let another take its place"
        return Plan(Outcome.REFUSED, waiting_for_person[0].id, (), reason=reason)
    if analysis.trust == Trust.QUARANTINED:
        fact = _fact(draft, analysis, entity=at.entity, now=at.now)
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
    live = _with_refused([one for one in at.known if one.fact.status == Status.ACTIVE], at.refused)
    targets = at.replaced or _with_renewed(_targets(draft, analysis, live, word), at.renewed)
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
    fact = _fact(draft, analysis, entity=at.entity, chain=course.chain, wrong=wrong, now=at.now)
    fact = fact if mention is None else in_place_of(mention.candidate, fact)
    fact = placed(inherited(draft, fact, course.chain), course, at.now)
    around = plan_course(course, fact, at.now, wrong=wrong)
    recorded = _recorded(fact, mention, at.now)
    if course.is_past and course.after is not None:
        return _plan_past((*recorded, *around), fact, course.after, at.known, repeats=mention is not None)
    opened = _tensions(fact, _excluding(live, targets, fact, at.no_conflict), at.tension_count, at.now)
    gone = [change.id for change in around if isinstance(change, FactSuperseded)]
    return Plan(
        Outcome.SUPERSEDED if gone else Outcome.TENSION if opened else Outcome.CREATED,
        fact.id,
        (*recorded, *plan_use([*course.replaced, *over], at.usages, fact), *around, *opened),
        superseded=tuple(gone),
        tensions=tuple(change.tension.id for change in opened),
        similar=_similar([one for one in at.known if one.fact not in targets]),  # what it replaces is named already
        reason=_reason(draft, fact, course, opened, mention, at.zone),
        repeats=mention is not None,
    )


def _plan_past(
    changes: tuple[Change, ...], fact: Fact, after: Fact, known: Sequence[Compared], *, repeats: bool
) -> Plan:
    """Return what a write does that tells what held before another."""
    stays = ", which stays current" if after.status == Status.ACTIVE else ""
    reason = f"it held before {after.id}{stays}"
    return Plan(Outcome.CREATED, fact.id, changes, similar=_similar(known), reason=reason, repeats=repeats)


def _plan_wait(draft: Draft, analysis: Analysis, waiting: Fact | None, at: Situation) -> Plan:
    """Let a statement wait, count it when it waits already, and let it go when somebody has taken it back."""
    if waiting is not None:
        reason = f"waits already as {waiting.id}, and was said on the same occasion"
        counted = FactConfirmed(id=waiting.id, at=at.now, source=draft.source)
        return Plan(Outcome.CONFIRMED, waiting.id, (counted,), reason=reason, waits=True, repeats=True)
    if (rejected := find_rejected(analysis.fingerprint, (one.fact for one in at.known))) is not None:
        reason = f"{rejected.id} said the same and was taken back: it is not proposed again"
        return Plan(Outcome.REFUSED, rejected.id, (), reason=reason)
    fact = _fact(draft, analysis, entity=at.entity, now=at.now).model_copy(update={"status": Status.CANDIDATE})
    reason = "waits as a candidate until it is said again or confirmed"
    return Plan(
        Outcome.CREATED, fact.id, (FactRecorded(fact=fact),), similar=_similar(at.known), reason=reason, waits=True
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


def _same(analysis: Analysis, known: Sequence[Compared]) -> Fact | None:
    """The one that says the same: active, or waiting in quarantine when the draft would be quarantined too."""
    wanted = Status.PENDING if analysis.trust == Trust.QUARANTINED else Status.ACTIVE
    found = [one.fact for one in known if one.fact.fingerprint == analysis.fingerprint and one.fact.status == wanted]
    return found[-1] if found else None


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


def _slot_of(draft: Draft, same: Fact) -> tuple[str, ...]:
    """Return the fields of its slot that a statement that holds again takes over: nobody said them again."""
    return () if draft.attribute or draft.value or not same.attribute else ("attribute", "value")


def _left(said: Restatement) -> list[str]:
    return [f"not taken over: {', '.join(said.left)}"] if said.left else []


def _with_refused(live: Sequence[Compared], refused: Sequence[Fact]) -> list[Compared]:
    """Return what a draft is compared with, and what it may not replace as what it is in tension with."""
    ids = {fact.id for fact in refused}
    return [*(one for one in live if one.fact.id not in ids), *(Compared(fact, _OUT_OF_REACH) for fact in refused)]


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
    told = [_excluded(opened)] if opened else []
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


def _similar(known: Sequence[Compared]) -> tuple[Compared, ...]:
    near = [
        one
        for one in known
        if one.fact.status == Status.ACTIVE and (one.comparison.similarity >= SIMILAR or one.comparison.kind == MENTION)
    ]
    return tuple(sorted(near, key=lambda one: (-one.comparison.similarity, one.fact.id))[:MAX_SIMILAR])


def _targets(draft: Draft, analysis: Analysis, live: list[Compared], word: Authority) -> list[Fact]:
    """The facts whose place the draft takes without being told their ids: none that is out of its reach."""
    open_to_it = [one for one in live if may_retire(word, one.fact)]
    slot = [one.fact for one in open_to_it if _gives_way(one, analysis)]
    if slot:
        return slot
    if not is_correction(draft):
        return []
    whole = [one for one in open_to_it if not one.partly and one.comparison.kind != CORRECTED]
    excluded = [one.fact for one in whole if one.comparison.kind in EXCLUDING]
    if excluded:
        return excluded
    # A correction may change one plain word, or say it otherwise; then only a single candidate is meant beyond doubt.
    changed = [one.fact for one in whole if one.comparison.kind == "value" or one.comparison.kind in DISPUTED]
    return changed if len(changed) == 1 else []


def _with_renewed(targets: list[Fact], renewed: Sequence[Fact]) -> list[Fact]:
    known = {fact.id for fact in targets}
    return [*targets, *(fact for fact in renewed if fact.id not in known)]


def _gives_way(one: Compared, analysis: Analysis) -> bool:
    """Tell whether an active fact holds another value of an attribute that holds one at a time.

    A slot that was only read takes no place from a fact that says something else besides: a tension.
    """
    if (
        one.comparison.kind == CORRECTED
        or not analysis.single_valued
        or one.same_value
        or one.fact.attribute not in analysis.attribute_names
    ):
        return False
    return not (analysis.slot_was_read and one.partly)


def _fact(
    draft: Draft,
    analysis: Analysis,
    *,
    entity: Entity,
    chain: Sequence[Fact] = (),
    wrong: bool = False,
    now: dt.datetime,
) -> Fact:
    """Return the version that a draft becomes; `wrong` tells that what it replaces never held."""
    fact_id = f"{entity.path}-{entity.next_number:03d}"
    oldest = min(chain, key=lambda old: old.valid_from, default=None) if wrong else None
    begins = (now, Precision.DAY)
    if oldest is not None and (oldest.valid_from <= now or names_its_beginning(oldest)):
        begins = (oldest.valid_from, oldest.valid_from_precision)
    if draft.valid_to is not None and draft.valid_to < begins[0]:  # it was over before it was told
        begins = (draft.valid_to, draft.valid_to_precision)
    if draft.valid_from is not None:
        begins = (draft.valid_from, draft.valid_from_precision)
    return Fact(
        id=fact_id,
        entity=entity.path,
        text=draft.text,
        category=draft.category,
        attribute=draft.attribute,
        value=draft.value,
        confidence=draft.confidence,
        abstraction=draft.abstraction,
        tags=draft.tags,
        related=draft.related,
        scope=draft.scope,
        trust=analysis.trust,
        source=draft.source,
        lineage=chain[0].lineage if chain else fact_id,
        version=max((old.version for old in chain), default=0) + 1,
        supersedes=tuple(old.id for old in chain),
        derived_from=draft.derived_from,
        valid_from=begins[0],
        valid_from_precision=begins[1],
        valid_to=draft.valid_to,
        valid_to_precision=draft.valid_to_precision,
        recorded_at=now,
        fingerprint=analysis.fingerprint,
        skeleton=analysis.skeleton,
    )


def pair_of(one: Fact, other: Fact) -> tuple[str, ...]:
    """Return what a pair of statements is known by: the entity and the fingerprint of each, in order."""
    return pair_of_sides((one.entity, one.fingerprint), (other.entity, other.fingerprint))


def pair_of_sides(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, ...]:
    """Return the same of two statements by the entity and the fingerprint of each."""
    return tuple(sorted(f"{entity}\n{fingerprint}" for entity, fingerprint in (one, other)))


def _excluding(
    live: list[Compared], targets: Sequence[Fact], fact: Fact, no_conflict: frozenset[tuple[str, ...]]
) -> list[Compared]:
    gone = {old.id for old in targets} | {one.fact.id for one in live if pair_of(one.fact, fact) in no_conflict}
    kinds = EXCLUDING | DISPUTED
    found = [one for one in live if one.comparison.kind in kinds and one.fact.id not in gone]
    numbered = [one for one in found if one.comparison.kind in NUMBERED]
    return [one for one in found if one not in numbered] if len(numbered) > SERIES else found


def _tensions(fact: Fact, excluding: list[Compared], count: int, now: dt.datetime) -> list[TensionOpened]:
    return [
        TensionOpened(
            tension=Tension(
                id=f"tension-{count + place:04d}",
                text=f"“{one.fact.text}” ({one.fact.id}) against “{fact.text}” ({fact.id}): {one.comparison.why}",
                fact1=one.fact.id,
                fact2=fact.id,
                kind=one.comparison.kind,
                opened_at=now,
            )
        )
        for place, one in enumerate(excluding, 1)
    ]


def _reason(
    draft: Draft, fact: Fact, course: Course, opened: list[TensionOpened], mention: Mention | None, zone: dt.tzinfo
) -> str:
    before = "it waited as a candidate" if mention is not None else ""
    return "; ".join(part for part in (before, _effect(draft, fact, course, opened, zone)) if part)


def _effect(draft: Draft, fact: Fact, course: Course, opened: list[TensionOpened], zone: dt.tzinfo) -> str:
    told = []
    if course.ending:
        told.append(f"takes the place of {_ids(course.ending)} on {written_begin(fact, zone)}")
    if course.replaced:
        told.append(f"takes the place of {_ids(course.replaced)}")
    if course.over:
        told.append(f"says again what {_ids(course.over)} says; it holds again from {written_begin(fact, zone)}")
    if course.after is not None:
        told.append(f"holds until {course.after.id} begins on {written_begin(course.after, zone)}")
    if told:
        return "; ".join(told)
    if opened:
        return _excluded(opened)
    if is_correction(draft):
        return "recorded; nothing was found that it corrects"
    return ""


def _excluded(opened: list[TensionOpened]) -> str:
    return f"excludes {', '.join(change.tension.fact1 for change in opened)}; both stay until somebody settles it"


def _ids(facts: Iterable[Fact]) -> str:
    return ", ".join(fact.id for fact in facts)
