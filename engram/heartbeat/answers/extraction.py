"""The built-in answer for extraction."""

from collections.abc import Sequence
from typing import Any

from engram.base.counts import counted
from engram.language.names.mentions import Known
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact
from engram.model.handoff import HandoffStatus
from engram.rules.domain import find_proposals
from engram.rules.handoff import handoff
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import read_passages
from engram.services.extract.lines.vectors import unpack_vectors


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for extraction: facts from the passages, about the entities given and the new ones found."""
    passages = read_passages(given["passages"])
    known = [Known(row["path"], tuple(row["names"])) for row in given["entities"]]
    found = extract(
        passages,
        known,
        owner=given["owner"],
        min_mentions=given["min_mentions"],
        background=given["background"],
        vectors=unpack_vectors(given.get("vectors", {})),
    )
    wanted = [fact for fact in found.facts if not find_proposals(fact.quote)]  # nor would the runner take them
    facts = surest(wanted, handoff.MAX_ITEMS)
    entities = counted(len({fact.entity for fact in facts}), "entity", "entities")
    return Handoff(
        status=HandoffStatus.OK,
        summary=f"{counted(len(facts), 'fact')} about {entities} from {counted(len(passages), 'entry', 'entries')}",
        stats={
            "entries": len(passages),
            "statements": found.statements,
            "facts": len(facts),
            "new_entities": len(found.new_entities),
            "candidates": sum(fact.candidate for fact in facts),
            "about_nobody": found.about_nobody,
            "no_room": len(wanted) - len(facts),
        },
        facts=tuple(facts),
    )


def surest(facts: Sequence[HandoffFact], most: int) -> list[HandoffFact]:
    """Return at most so many facts in their order, those of the highest confidence.

    Batches are made so that all have room; only one text of many thousand statements may hold more.
    """
    if len(facts) <= most:
        return list(facts)
    chosen = sorted(range(len(facts)), key=lambda place: -facts[place].confidence)[:most]
    return [facts[place] for place in sorted(chosen)]
