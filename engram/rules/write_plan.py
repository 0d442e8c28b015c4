"""What a write does to the state: confirm, create, supersede, open a tension. Pure: values in, plan out."""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.model.change import Change
from engram.model.change import FactConfirmed
from engram.model.change import FactRecorded
from engram.model.change import FactRestored
from engram.model.change import FactSuperseded
from engram.model.change import TensionOpened
from engram.model.command import Outcome
from engram.model.comparison import CORRECTED
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.tension import Tension
from engram.rules.candidates import Mention
from engram.rules.candidates import beginning
from engram.rules.candidates import find_rejected
from engram.rules.candidates import find_waiting
from engram.rules.candidates import in_place_of
from engram.rules.candidates import is_same_occasion
from engram.rules.candidates import put_together
from engram.rules.confirmation import plan_vouching
from engram.rules.derivation import is_less_trusted
from engram.rules.retraction import end_of

SERIES = 3  # more numbered siblings than this are a series (day 1, day 2, ...), not contradictions
NUMBERED = frozenset({"number", "date", "version", "update"})
SIMILAR = 0.6  # share of common words from which a statement is reported as similar; half are the subject and the verb
MENTION = "mention"  # a comparison that says that another value is given of what may be the same thing: also similar
MAX_SIMILAR = 5  # similar statements reported


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


def plan_write(  # noqa: PLR0913 - what is proposed, what is known, and when
    draft: Draft,
    analysis: Analysis,
    *,
    entity: Entity,
    known: list[Compared],
    replaced: list[Fact],
    renewed: Sequence[Fact] = (),
    outdated_by: Fact | None = None,
    tension_count: int,
    now: dt.datetime,
    zone: dt.tzinfo = dt.UTC,
    no_conflict: frozenset[tuple[str, ...]] = frozenset(),
) -> Plan:
    """Decide what a write does.

    `known` are the facts of the entity in the draft's scope that may matter (see `may_matter`), oldest first;
    `replaced` are the active facts that the writer named with --supersedes; `renewed` are those that it brings up
    to date, whoever they are about, and `outdated_by` is what was said after it of the same; `zone` tells one day from
    another; `no_conflict` are the pairs (see `pair_of`) of which somebody said that both hold.
    """
    if (same := _same(analysis, known)) is not None and same not in replaced:
        return _plan_confirm(draft, analysis, same, [*replaced, *renewed], now)
    similar = _similar(known)
    if analysis.trust == Trust.QUARANTINED:
        fact = _fact(draft, analysis, entity=entity, now=now)
        fact = fact.model_copy(update={"status": Status.PENDING, "reason": analysis.reason})
        return Plan(Outcome.QUARANTINED, fact.id, (FactRecorded(fact=fact),), reason=analysis.reason)
    waiting = find_waiting(analysis.fingerprint, (one.fact for one in known))
    if draft.candidate and (waiting is None or is_same_occasion(waiting, draft, now, zone)):
        return _plan_wait(draft, analysis, waiting, known, entity=entity, now=now)
    mention = None if waiting is None or waiting in replaced else put_together(waiting, draft, analysis.trust)
    if mention is not None:
        draft, analysis = mention.draft, _mentioned(analysis, draft, mention)
    live = [one for one in known if one.fact.status == Status.ACTIVE]
    targets = replaced or _with_renewed(_targets(draft, analysis, live), renewed)
    if mention is not None and mention.is_of_one_trust and not _is_correction(draft):
        draft = draft.model_copy(update=beginning(mention.candidate, draft, targets, now))
    later = _later(draft, analysis, targets, now) or (None if replaced else outdated_by)
    chain = [old for old in targets if old.status == Status.ACTIVE] or targets
    wrong = _is_correction(draft) and not renewed
    fact = _fact(draft, analysis, entity=entity, chain=[] if later else chain, wrong=wrong, now=now)
    fact = fact if mention is None else in_place_of(mention.candidate, fact)
    if later is not None:
        reason = f"it held before {later.id}, which stays current"
        changes = _recorded(_as_past(fact, later, now), mention, now)
        return Plan(Outcome.CREATED, fact.id, changes, similar=similar, reason=reason, repeats=mention is not None)
    retired = [_retire(old, fact, wrong=wrong, now=now) for old in targets]
    opened = _tensions(fact, _excluding(live, targets, fact, no_conflict), tension_count, now)
    status = Outcome.SUPERSEDED if targets else Outcome.TENSION if opened else Outcome.CREATED
    return Plan(
        status,
        fact.id,
        (*_recorded(fact, mention, now), *retired, *opened),
        superseded=tuple(old.id for old in targets),
        tensions=tuple(change.tension.id for change in opened),
        similar=_similar([one for one in known if one.fact not in targets]),  # what it replaces is named already
        reason=_reason(draft, targets, opened, mention),
        repeats=mention is not None,
    )


def _plan_wait(
    draft: Draft, analysis: Analysis, waiting: Fact | None, known: list[Compared], *, entity: Entity, now: dt.datetime
) -> Plan:
    """Let a statement wait, count it when it waits already, and let it go when somebody has taken it back."""
    if waiting is not None:
        reason = f"waits already as {waiting.id}, and was said on the same occasion"
        counted = FactConfirmed(id=waiting.id, at=now, source=draft.source)
        return Plan(Outcome.CONFIRMED, waiting.id, (counted,), reason=reason, waits=True, repeats=True)
    if (rejected := find_rejected(analysis.fingerprint, (one.fact for one in known))) is not None:
        reason = f"{rejected.id} said the same and was taken back: it is not proposed again"
        return Plan(Outcome.REFUSED, rejected.id, (), reason=reason)
    fact = _fact(draft, analysis, entity=entity, now=now).model_copy(update={"status": Status.CANDIDATE})
    reason = "waits as a candidate until it is said again or confirmed"
    return Plan(
        Outcome.CREATED, fact.id, (FactRecorded(fact=fact),), similar=_similar(known), reason=reason, waits=True
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


def _same(analysis: Analysis, known: list[Compared]) -> Fact | None:
    """The one that says the same: active, or waiting in quarantine when the draft would be quarantined too."""
    wanted = Status.PENDING if analysis.trust == Trust.QUARANTINED else Status.ACTIVE
    found = [one.fact for one in known if one.fact.fingerprint == analysis.fingerprint and one.fact.status == wanted]
    return found[-1] if found else None


def _plan_confirm(draft: Draft, analysis: Analysis, same: Fact, replaced: list[Fact], now: dt.datetime) -> Plan:
    """The statement is there already: count it; what it was to replace gives way to it.

    A person who writes it makes it trusted; one who is only read in a transcript does not.
    """
    confirmed = FactConfirmed(id=same.id, at=now, source=draft.source)
    retired = tuple(_retire(old, same, wrong=_is_correction(draft), now=now) for old in replaced)
    status = Outcome.SUPERSEDED if retired else Outcome.CONFIRMED
    gone = tuple(old.id for old in replaced)
    reason = f"already known as {same.id}"
    raised = plan_vouching(same, draft.source.actor, now) if analysis.trust == Trust.TRUSTED else ()
    return Plan(status, same.id, (confirmed, *raised, *retired), superseded=gone, reason=reason, repeats=not retired)


def _similar(known: list[Compared]) -> tuple[Compared, ...]:
    near = [
        one
        for one in known
        if one.fact.status == Status.ACTIVE and (one.comparison.similarity >= SIMILAR or one.comparison.kind == MENTION)
    ]
    return tuple(sorted(near, key=lambda one: (-one.comparison.similarity, one.fact.id))[:MAX_SIMILAR])


def _targets(draft: Draft, analysis: Analysis, live: list[Compared]) -> list[Fact]:
    """The facts whose place the draft takes without being told their ids."""
    slot = [one.fact for one in live if _gives_way(one, analysis)]
    if slot:
        return slot
    if not _is_correction(draft):
        return []
    open_to_it = [one for one in live if not is_less_trusted(analysis.trust, one.fact.trust)]
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

    What is trusted less takes no place from what is trusted more, whoever names the slot, and a slot that was only read
    takes none from a fact that says something else besides: a tension.
    """
    if (
        one.comparison.kind == CORRECTED
        or not analysis.single_valued
        or one.same_value
        or one.fact.attribute not in analysis.attribute_names
    ):
        return False
    if analysis.slot_was_read and one.partly:
        return False
    return not is_less_trusted(analysis.trust, one.fact.trust)


def _later(draft: Draft, analysis: Analysis, targets: list[Fact], now: dt.datetime) -> Fact | None:
    """The fact that stays current because the draft tells of an earlier time, or None."""
    if draft.supersedes or _is_correction(draft) or not analysis.single_valued:
        return None
    begins = draft.valid_from or now
    later = [fact for fact in targets if fact.valid_from > begins]
    return min(later, key=lambda fact: fact.valid_from) if later else None


def _as_past(fact: Fact, later: Fact, now: dt.datetime) -> Fact:
    """Return the fact as one that held until a later one that stays current."""
    ends = end_of(fact, later.valid_from, later.valid_from_precision)
    update = {"status": Status.SUPERSEDED, "superseded_by": later.id, "known_to": now}
    return fact.model_copy(update={**update, **ends})


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
    begins = (now, Precision.DAY) if oldest is None else (oldest.valid_from, oldest.valid_from_precision)
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


def _retire(old: Fact, new: Fact, *, wrong: bool, now: dt.datetime) -> FactSuperseded:
    ends: dict[str, Any] = {} if wrong else {**end_of(old, new.valid_from, new.valid_from_precision)}
    return FactSuperseded(
        id=old.id,
        by=new.id,
        at=now,
        was_wrong=wrong,
        reason="corrected" if wrong else "replaced by a newer statement",
        **ends,
    )


def pair_of(one: Fact, other: Fact) -> tuple[str, ...]:
    """Return what a pair of statements is known by: the entity and the fingerprint of each, in order."""
    return pair_of_sides((one.entity, one.fingerprint), (other.entity, other.fingerprint))


def pair_of_sides(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, ...]:
    """Return the same of two statements by the entity and the fingerprint of each."""
    return tuple(sorted(f"{entity}\n{fingerprint}" for entity, fingerprint in (one, other)))


def _excluding(
    live: list[Compared], targets: list[Fact], fact: Fact, no_conflict: frozenset[tuple[str, ...]]
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


def _is_correction(draft: Draft) -> bool:
    return draft.corrects or draft.category == Category.CORRECTION


def _reason(draft: Draft, targets: list[Fact], opened: list[TensionOpened], mention: Mention | None) -> str:
    before = "it waited as a candidate; " if mention is not None else ""
    return (before + _effect(draft, targets, opened)).removesuffix("; ")


def _effect(draft: Draft, targets: list[Fact], opened: list[TensionOpened]) -> str:
    if targets:
        return f"takes the place of {', '.join(fact.id for fact in targets)}"
    if opened:
        return f"excludes {', '.join(change.tension.fact1 for change in opened)}; both stay until somebody settles it"
    if _is_correction(draft):
        return "recorded; nothing was found that it corrects"
    return ""
