"""What a statement that is being written takes back: the facts it corrects, and what it says instead.

Only facts of the draft's own scope are looked at, so that a correction reaches nobody who did not read along. It takes
the place of nothing that is trusted more, and, where several people speak, of nothing that somebody else has said:
such a fact and the correction both stay, and a tension is opened.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.text import fingerprint
from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.corrections import read_correction
from engram.language.compare.corrections.values import DAY
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.updates.change_words import announces_change
from engram.model.changes.state import State
from engram.model.comparison import CORRECTED
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.trust.authority import authority_to_say
from engram.rules.trust.authority import may_retire
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Compared
from engram.services.commands.decider import Context
from engram.services.commands.writes.comparison import compare_all
from engram.services.commands.writes.elsewhere import find_elsewhere
from engram.services.commands.writes.slot_filling import compared
from engram.services.commands.writes.slot_filling import corrected_slot
from engram.services.commands.writes.slot_filling import fill_slot
from engram.services.commands.writes.speakers import may_replace
from engram.services.commands.writes.told_anew import is_told_anew
from engram.services.extract.correction.target import Certainty
from engram.services.extract.correction.target import Correctable
from engram.services.extract.correction.target import Corrected
from engram.services.extract.correction.target import can_mean
from engram.services.extract.correction.target import find_corrected
from engram.services.extract.correction.target import has_topic
from engram.services.extract.correction.target import is_of_somebody
from engram.services.extract.subject.subject_features import speaks_of_self
from engram.services.extract.validity import said_days

_CONFIDENCE = 0.5  # of a tension with what may be meant
_NEAR_BYTES = 300  # between two lines of a note of which one corrects the other
_HOOK = "hook"  # label of what a hook writes
_LIVE = frozenset({Status.ACTIVE, Status.CANDIDATE})
_UNMEANT = Comparison("none", 0.5, 0.0, "it does not say what is called wrong")


class TakenBack(NamedTuple):
    """A draft that corrects, as it is to be written."""

    draft: Draft
    entity: Entity  # that of what it corrects
    replaced: tuple[Fact, ...] = ()
    doubted: tuple[Fact, ...] = ()  # of which one may be meant, or which it may not replace
    is_change: bool = False  # what it replaces held until it was said: "the limit is now 64, no longer 32"


def correction_of(draft: Draft) -> Correction | None:
    """Return what a draft takes back by its words, or by its category; None for any other statement.

    A draft that names what it replaces needs no reading. One that is hardly worth keeping waits, and corrects when it
    is believed, unless its words can only be meant as a correction: then it is worth as much as what it corrects.
    """
    read = read_correction(draft.said_as or draft.text)
    if draft.supersedes or draft.corrects or (draft.candidate and not (read and read.is_meant)):
        return None
    if draft.category != Category.CORRECTION:
        return read
    return read._replace(sure=True) if read else Correction(draft.text, draft.text)


def take_back(
    state: State, draft: Draft, entity: Entity, correction: Correction, analysis: Analysis, context: Context
) -> TakenBack:
    """Return what a draft takes back of what the state holds, and what it says instead."""
    facts = _correctable(state, draft, entity, correction)
    found = find_corrected(correction, _compare(state, facts, draft, entity, correction, analysis, context))
    by_id = {fact.id: fact for fact in facts}
    meant = [by_id[fact_id] for fact_id in found.ids or found.repeats]
    if found.certainty == Certainty.UNSURE and len({fact.entity for fact in meant}) > 1:
        return TakenBack(draft, entity, doubted=_active(meant))
    if found.certainty == Certainty.NONE or len({fact.entity for fact in meant}) != 1:
        return TakenBack(draft, entity)
    entity = state.entities[meant[0].entity]
    if found.certainty == Certainty.UNSURE:
        said = draft.model_copy(update={"entity": entity.path, "text": found.text or draft.text})
        return TakenBack(said, entity, doubted=_active(meant))
    open_to_it = [fact for fact in meant if _may_replace(state, draft, analysis.trust, fact)]
    if len(open_to_it) < len(meant) and found.ids:
        said = draft.model_copy(update={"entity": entity.path, "text": found.text or draft.text})
        return TakenBack(said, entity, doubted=_active(meant))
    if is_told_anew(state, draft, meant[-1]):
        found = found._replace(text="")
    is_change = announces_change(draft.said_as or draft.text) or bool(correction.right and not correction.wrong)
    right = _right(draft, entity, meant[-1], found, correction, is_change=is_change, context=context)
    return TakenBack(right, entity, replaced=tuple(meant) if found.ids else (), is_change=is_change)


def find_put_right(state: State, draft: Draft, entity: Entity) -> Fact | None:
    """Return the fact that says the same, comes from the same conversation and was corrected since the draft was said.

    What a hook has written, and what was put right before the heartbeat reads the turn, is not said once more by it.
    """
    turn = state.turns.get(draft.source.turn or "")
    if turn is None or turn.at is None:
        return None
    said = fingerprint(draft.text)
    facts = (state.facts[fact_id] for fact_id in state.facts_of.get(entity.path, ()))
    wrong = (fact for fact in facts if fact.was_wrong and fact.status == Status.SUPERSEDED and fact.fingerprint == said)
    of_talk = (fact for fact in wrong if fact.source.session == draft.source.session and fact.scope == draft.scope)
    found = next((fact for fact in of_talk if fact.known_to and turn.at <= fact.known_to), None)
    follower = state.facts.get(found.superseded_by or "") if found is not None else None
    return None if follower is not None and follower.fingerprint == said else found


def is_left_alone(draft: Draft, correction: Correction) -> bool:
    """Tell whether a correction that corrects nothing says nothing by itself: it was read, and has a bare value."""
    was_read = draft.source.turn is not None or draft.source.path is not None or draft.source.label == _HOOK
    return was_read and correction.is_meant and not has_topic(correction)


def with_doubted(known: list[Compared], doubted: Sequence[Fact]) -> list[Compared]:
    """Return what a draft is compared with, together with what it may take back: both stay, in a tension."""
    ids = {fact.id for fact in doubted}
    why = "the newer statement takes something back, and this may be what it means"
    told = [Compared(fact, Comparison(CORRECTED, _CONFIDENCE, 0.0, why)) for fact in doubted]
    return [*(one for one in known if one.fact.id not in ids), *told]


def _correctable(state: State, draft: Draft, entity: Entity, correction: Correction) -> list[Fact]:
    """Return the facts of the entity, of the conversation, and elsewhere, that may be meant, oldest first.

    "No, my birthday is in May" means nothing that somebody else has said of themselves.
    """
    is_of_self = speaks_of_self(draft.text)
    elsewhere = {fact.id for fact in find_elsewhere(state, draft, correction)}
    near = [
        fact
        for fact in state.facts.values()
        if fact.status in _LIVE
        and fact.scope == draft.scope
        and not _is_later(state, fact, draft)
        and (
            fact.entity == entity.path
            or (_said_here(fact, draft) and fact.entity in state.entities)
            or fact.id in elsewhere
        )
        and not (is_of_self and fact.entity != entity.path and speaks_of_self(fact.text))
    ]
    spoken = {turn.id: (turn.at, turn.ordinal) for turn in state.turns.values() if turn.at is not None}
    first = min(spoken.values(), default=None)
    return sorted(near, key=lambda fact: (fact.recorded_at, spoken.get(fact.source.turn or "", first) or ()))


def _is_later(state: State, fact: Fact, draft: Draft) -> bool:
    """Tell whether a fact is known to have been said after the draft, which may be read long after it was said."""
    said, told = (state.turns.get(source.turn or "") for source in (draft.source, fact.source))
    if said is None or said.at is None or (fact.source.path and not fact.source.turn):
        return False  # of a note nobody knows the hour
    return ((told.at if told is not None else None) or fact.recorded_at) > said.at


def _said_here(fact: Fact, draft: Draft) -> bool:
    """Tell whether a fact was said in the conversation, or stands in the note, that the draft comes from."""
    mine, other = draft.source, fact.source
    if mine.path and other.path and not mine.turn:
        return mine.path == other.path
    return mine.session is not None and mine.session == other.session and not (other.path and not other.turn)


def _compare(
    state: State,
    facts: Sequence[Fact],
    draft: Draft,
    entity: Entity,
    correction: Correction,
    analysis: Analysis,
    context: Context,
) -> list[Correctable]:
    """Return the facts as they stand to what is right: those of the entity by its slots and clauses, too."""
    said = draft.model_copy(
        update={"text": correction.statement, "candidate": False}
    )  # what only waits is not compared
    right = fill_slot(said, analysis, entity)
    by_id = {one.fact.id: one for one in compared(state, entity, *right)}
    others = [fact for fact in facts if fact.id not in by_id]
    open_to_it = [fact for fact in others if can_mean(correction, fact.text)]  # few of an entity of thousands
    texts = [fact.text for fact in open_to_it]
    words = compare_all(correction.statement, texts, among=[fact.text for fact in facts])
    by_id |= {fact.id: Compared(fact, _UNMEANT) for fact in others}
    by_id |= {fact.id: Compared(fact, one) for fact, one in zip(open_to_it, words, strict=True)}
    told = (by_id[fact.id] for fact in facts)
    return [
        Correctable(
            id=one.fact.id,
            text=one.fact.text,
            comparison=one.comparison,
            of_entity=one.fact.entity == entity.path,
            said_here=_said_here(one.fact, draft),
            is_last=_is_last(state, one.fact, draft, context.now),
            is_corrected=bool(one.fact.supersedes),
            partly=one.partly,
            about=one.fact.entity,
            is_elsewhere=one.fact.entity != entity.path and not _said_here(one.fact, draft),
        )
        for one in told
    ]


def _is_last(state: State, fact: Fact, draft: Draft, now: dt.datetime) -> bool:
    """Tell whether nobody has said anything between a fact and a draft, as far as that is known."""
    mine, other = draft.source, fact.source
    if mine.start is not None and other.end is not None and not mine.turn:
        return 0 <= mine.start - other.end <= _NEAR_BYTES
    here = [turn for turn in state.turns.values() if turn.session == mine.session and is_of_somebody(turn.speaker)]
    said, told = (state.turns.get(turn or "") for turn in (mine.turn, other.turn))
    if said is not None and told is not None:
        known = {turn.ordinal for turn in state.turns.values() if turn.session == said.session}
        between = range(told.ordinal + 1, said.ordinal)
        return all(place in known for place in between) and not any(turn.ordinal in between for turn in here)
    begins = told.at if told is not None else fact.recorded_at
    ends = said.at if said is not None else now
    since = (turn for turn in here if turn.at and begins and ends and begins <= turn.at <= ends)
    return all(fact.text in turn.text or (draft.said_as or draft.text) in turn.text for turn in since)


def _may_replace(state: State, draft: Draft, trust: Trust, fact: Fact) -> bool:
    is_in_reach = may_retire(authority_to_say(trust, draft.source), fact)
    return is_in_reach and may_replace(state, draft.source, fact.source)


def _active(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.status == Status.ACTIVE)


def _right(
    draft: Draft,
    entity: Entity,
    old: Fact,
    found: Corrected,
    correction: Correction,
    *,
    is_change: bool,
    context: Context,
) -> Draft:
    """Return the draft as it is right: in the old fact's words where they were said again, and since when that held."""
    zone, said_at = context.zone, draft.valid_from or context.now
    update: dict[str, Any] = {"entity": entity.path, "corrects": not is_change, "candidate": False}
    if found.text:
        update |= {"text": found.text, "category": old.category}
        update |= {"tags": draft.tags or old.tags, "related": draft.related or old.related}
    text = found.text or draft.text
    if draft.attribute is None:
        update |= corrected_slot(old, text)
    was_read = draft.source.turn is not None or draft.source.path is not None
    if was_read and not is_change and not days_in(correction.text) and not _is_of_later_day(draft, old, zone):
        update["valid_from"] = None  # its day is only the one on which it was said, and so is the old one's
    if draft.valid_to is None and days_in(text) == days_in(old.text):
        update["valid_to"] = old.valid_to
    if (days := days_in(text) - days_in(old.text)) and (old.valid_from > said_at or days - days_in(correction.text)):
        update |= said_days(text, old.category, said_at, zone)  # of a plan, or "the 12th" in the old one's month
    return draft.model_copy(update=update)


def _is_of_later_day(draft: Draft, old: Fact, zone: dt.tzinfo) -> bool:
    return draft.valid_from is not None and local_day(draft.valid_from, zone) > local_day(old.valid_from, zone)


def days_in(text: str) -> set[str]:
    """Return the days that a text names."""
    return {value.value for value in find_changeable(text) if value.kind == DAY}
