"""The slot of a fact on its way in: what the writer named, else what the statement says; and the facts beside it."""

from typing import Any

from engram.language.lexicon import fold
from engram.language.slots import attribute_names
from engram.language.slots import canonical
from engram.language.slots import read_slot
from engram.language.slots import same_value
from engram.language.slots import single_valued
from engram.language.slots import slot_of
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.state import State
from engram.ports.judge import Judge
from engram.rules.writing import Analysis
from engram.rules.writing import Compared
from engram.rules.writing import may_matter
from engram.services.judging import compare_all

_SLOT_CONFIDENCE = 0.9  # of a contradiction between two values of one slot


def slot_names(draft: Draft) -> tuple[str, ...]:
    """Return the attribute names under which facts with the draft's slot may be stored; one empty name when none."""
    slot = None if draft.attribute else read_slot(draft.text)
    named = draft.attribute or (slot.attribute if slot else "")
    return tuple(dict.fromkeys((named, canonical(named)))) if named else ("",)


def fill_slot(draft: Draft, analysis: Analysis, entity: Entity) -> tuple[Draft, Analysis]:
    """Return draft and analysis with the slot that the statement states, unless the writer named another one.

    An attribute that the writer named always stands; its value is read when the statement states that very attribute.
    """
    slot = slot_of(draft.text, entity.path, (entity.title, *entity.aliases))
    read = slot is not None and not draft.attribute and not draft.value
    if slot is not None and read:
        draft = draft.model_copy(update={"attribute": slot.attribute, "value": slot.value})
    elif slot is not None and draft.attribute and not draft.value and canonical(draft.attribute) == slot.attribute:
        draft = draft.model_copy(update={"value": slot.value})
    if not draft.attribute:
        return draft, analysis
    names = attribute_names(draft.attribute)
    single = single_valued(draft.attribute)
    return draft, analysis._replace(attribute_names=names, single_valued=single, slot_was_read=read)


def corrected_slot(old: Fact, text: str) -> dict[str, Any]:
    """Return attribute and value of the right statement in the old one's place, when nobody named a value.

    A value that the new words do not hold any more is not carried over.
    """
    if not old.attribute:
        return {}
    slot, before = read_slot(text), read_slot(old.text)
    if slot is not None and slot.attribute == canonical(old.attribute):
        return {"attribute": old.attribute, "value": slot.value}
    if old.value is None or fold(old.value) in fold(text):
        return {}
    was_read = before is not None and before.attribute == canonical(old.attribute)
    return {"attribute": None if was_read else old.attribute, "value": None}


def compared(state: State, entity: Entity, draft: Draft, analysis: Analysis, judge: Judge | None) -> list[Compared]:
    """Return the facts that may matter to the draft, each compared with it, oldest first."""
    facts = [state.facts[fact_id] for fact_id in state.facts_of.get(entity.path, ())]
    near = [fact for fact in facts if may_matter(fact, draft, analysis, entity)]
    ordered = sorted(near, key=lambda fact: (fact.recorded_at, fact.id))
    comparisons = compare_all(draft.text, [fact.text for fact in ordered], judge)
    return [_by_slot(fact, draft, analysis, one) for fact, one in zip(ordered, comparisons, strict=True)]


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
