"""The slot of a fact on its way in: what the writer named, else what the statement says; and the facts beside it.

A statement of several clauses has no slot of its own; its clauses have. A newer value of one of them opens a tension
and retires nothing by itself: what the other clauses say still holds.
"""

from collections.abc import Iterable
from typing import Any
from typing import NamedTuple

from engram.language.compare.contradiction.compare_clauses import find_clause_conflict
from engram.language.compare.contradiction.compare_clauses import leaves_out
from engram.language.compare.contradiction.compare_clauses import may_end
from engram.language.compare.reading.stems import fold
from engram.language.compare.slots.clauses import Clause
from engram.language.compare.slots.clauses import clauses_about
from engram.language.compare.slots.clauses import read_clauses
from engram.language.compare.slots.slots import Slot
from engram.language.compare.slots.slots import attribute_names
from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.language.compare.slots.slots import slot_of
from engram.model.changes.state import State
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.writes.candidates import find_waiting
from engram.rules.writes.comparable import is_compared_with_all
from engram.rules.writes.comparable import may_matter
from engram.rules.writes.comparable import newest_that_matter
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Compared
from engram.services.commands.writes.comparison import compare_all

_SLOT_CONFIDENCE = 0.9  # of a contradiction between two values of one slot
_TOLD = EXCLUDING | DISPUTED | {"value"}  # kinds that tell two statements apart


class Judged(NamedTuple):
    """How a statement stands to a fact by the clauses of both."""

    comparison: Comparison
    attribute: str | None = None  # of the clauses that exclude each other, if any do by their values
    partly: bool = False  # the fact says something else besides, which still holds


def slot_names(draft: Draft) -> tuple[str, ...]:
    """Return the attribute names under which facts with the draft's slots may be stored; one empty name when none."""
    if draft.attribute:
        named = [draft.attribute]
    elif clauses := read_clauses(draft.text):
        named = [clause.slot.attribute for clause in clauses if clause.slot]
    else:
        named = [slot.attribute] if (slot := read_slot(draft.text)) else []
    return tuple(dict.fromkeys(name for one in named for name in (one, canonical(one)))) or ("",)


def read_stated(text: str, path: str, names: tuple[str, ...]) -> tuple[Clause, ...]:
    """Return the clauses of a statement with the slots that they state of this entity; at least one clause.

    `path` is such as people/anna, `names` are its title and aliases.
    """
    return clauses_about(text, path, names) or (Clause(text, slot_of(text, path, names)),)


def slot_of_all(stated: tuple[Clause, ...]) -> Slot | None:
    """Return the slot of a whole statement: that of its only clause."""
    return stated[0].slot if len(stated) == 1 else None


def fill_slot(draft: Draft, analysis: Analysis, entity: Entity) -> tuple[Draft, Analysis]:
    """Return draft and analysis with the slot that the statement states, unless the writer named another one.

    An attribute that the writer named always stands; its value is read when the statement states that very attribute.
    """
    stated = read_stated(draft.text, entity.path, (entity.title, *entity.aliases))
    slot = slot_of_all(stated)
    read = slot is not None and not draft.attribute and not draft.value
    if slot is not None and read:
        draft = draft.model_copy(update={"attribute": slot.attribute, "value": slot.value})
    elif slot is not None and draft.attribute and not draft.value and canonical(draft.attribute) == slot.attribute:
        draft = draft.model_copy(update={"value": slot.value})
    if not draft.attribute:
        every = (attribute_names(clause.slot.attribute) for clause in stated if clause.slot)
        return draft, analysis._replace(attribute_names=frozenset[str]().union(*every))
    names = attribute_names(draft.attribute)
    single = single_valued(draft.attribute)
    return draft, analysis._replace(attribute_names=names, single_valued=single, slot_was_read=read)


def corrected_slot(old: Fact, text: str) -> dict[str, Any]:
    """Return attribute and value of the right statement in the old one's place, when nobody named a value.

    A value that the new words do not hold any more is not carried over.
    """
    if not old.attribute:
        return {}
    slot, before = (None if read_clauses(said) else read_slot(said) for said in (text, old.text))
    if slot is not None and slot.attribute == canonical(old.attribute):
        return {"attribute": old.attribute, "value": slot.value}
    if old.value is None or fold(old.value) in fold(text):
        return {}
    was_read = before is not None and before.attribute == canonical(old.attribute)
    return {"attribute": None if was_read else old.attribute, "value": None}


def compared(state: State, entity: Entity, draft: Draft, analysis: Analysis) -> list[Compared]:
    """Return the facts that may matter to the draft, each compared with it, oldest first."""
    facts: Iterable[Fact]
    if is_compared_with_all(entity):
        facts = (state.facts[fact_id] for fact_id in state.facts_of.get(entity.path, ()))
    else:
        attributes = analysis.attribute_names
        facts = state.facts_alike(entity.path, analysis.fingerprint, analysis.skeleton, attributes)
    matter = [fact for fact in facts if may_matter(fact, draft, analysis, entity)]
    if draft.candidate and find_waiting(analysis.fingerprint, matter) is None:
        # It waits, and contradicts nobody until it is believed; then it is compared with all.
        matter = [fact for fact in matter if fact.fingerprint == analysis.fingerprint]
    ordered = newest_that_matter(matter, analysis)
    comparisons = compare_all(draft.text, [fact.text for fact in ordered])
    names = (entity.title, *entity.aliases)
    stated = _with_named(read_stated(draft.text, entity.path, names), draft.attribute, draft.value)
    by_slot = (_by_slot(fact, draft, analysis, one) for fact, one in zip(ordered, comparisons, strict=True))
    return [_by_clauses(one, stated, names) for one in by_slot]


def slot_history(state: State, entity: Entity, draft: Draft, analysis: Analysis) -> list[Fact]:
    """Return what held before in the draft's slot, with other values, as far as the state holds it."""
    if not draft.attribute or not draft.value or not analysis.single_valued:
        return []
    facts = (state.facts[fact_id] for fact_id in state.facts_of.get(entity.path, ()))
    return [
        fact
        for fact in facts
        if fact.status == Status.SUPERSEDED
        and not fact.was_wrong
        and fact.scope == draft.scope
        and fact.attribute in analysis.attribute_names
        and not (fact.value and same_value(draft.value, fact.value))
    ]


def judge_clauses(new: tuple[Clause, ...], fact: Fact, names: tuple[str, ...], comparison: Comparison) -> Judged:
    """Return how a statement with these clauses stands to a fact of the same entity, clause by clause.

    `comparison` is what is known of both as a whole, `names` are the entity's title and aliases. Of two statements of
    one clause that is all there is to know.
    """
    if comparison.kind == "same" or not _may_exclude(new, comparison):
        return Judged(comparison)
    clauses = clauses_about(fact.text, fact.entity, names)
    if len(new) == 1 and not clauses:
        return Judged(comparison)
    old = _with_named(clauses or (Clause(fact.text, None),), fact.attribute, fact.value)
    conflict = find_clause_conflict(new, old)
    if conflict is not None and comparison.kind not in EXCLUDING:
        comparison = Comparison(conflict.kind, conflict.confidence, comparison.similarity, conflict.why)
    partly = bool(clauses) and comparison.kind in _TOLD and leaves_out(new, clauses)
    if partly:
        comparison = comparison._replace(why=f"{comparison.why}; what else it says may still hold")
    attribute = conflict.attribute if conflict and comparison.kind == "attribute" else None
    return Judged(comparison, attribute, partly)


def judge_slots(fact: Fact, attribute: str, value: str, comparison: Comparison) -> Comparison:
    """Return what two values of one attribute that holds one at a time say, when the words do not say it already.

    `attribute` and `value` are the new statement's slot; they have to be of the fact's own entity.
    """
    if not fact.attribute or not fact.value or canonical(fact.attribute) != canonical(attribute):
        return comparison
    if comparison.kind in EXCLUDING or not single_valued(attribute) or same_value(value, fact.value):
        return comparison
    why = f"{fact.attribute}: {fact.value} became {value}"
    return Comparison("attribute", _SLOT_CONFIDENCE, comparison.similarity, why)


def _by_slot(fact: Fact, draft: Draft, analysis: Analysis, comparison: Comparison) -> Compared:
    if fact.attribute not in analysis.attribute_names or not draft.attribute or not draft.value or not fact.value:
        return Compared(fact, comparison)
    judged = judge_slots(fact, draft.attribute, draft.value, comparison)
    return Compared(fact, judged, same_value(draft.value, fact.value))


def _may_exclude(new: tuple[Clause, ...], comparison: Comparison) -> bool:
    """Tell whether the clauses may bring up anything: most statements state no slot and end nothing."""
    return comparison.kind in _TOLD or len(new) > 1 or new[0].slot is not None or may_end(new[0].text)


def _with_named(clauses: tuple[Clause, ...], attribute: str | None, value: str | None) -> tuple[Clause, ...]:
    """Return the clauses with the slot that the writer named: it is the only clause's, or stands beside several."""
    if not attribute or not value:
        return clauses
    slot = Slot("", canonical(attribute), value)
    if len(clauses) == 1:
        return (clauses[0]._replace(slot=slot),)
    stated = {clause.slot.attribute for clause in clauses if clause.slot}
    return clauses if slot.attribute in stated else (*clauses, Clause("", slot))


def _by_clauses(one: Compared, stated: tuple[Clause, ...], names: tuple[str, ...]) -> Compared:
    judged = judge_clauses(stated, one.fact, names, one.comparison)
    return one._replace(comparison=judged.comparison, partly=judged.partly)
