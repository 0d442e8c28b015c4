"""The built-in answer for extraction."""

from typing import Any

from engram.language.mentions import Known
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.domain import find_proposals
from engram.services.extract.extract import extract
from engram.services.extract.passage import read_passages
from engram.services.extract.vectors import unpack_vectors


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
    facts = [fact for fact in found.facts if not find_proposals(fact.quote)]  # nor would the runner take them
    about = len({fact.entity for fact in facts})
    return Handoff(
        status=HandoffStatus.OK,
        summary=f"{len(facts)} facts about {about} entities from {len(passages)} entries",
        stats={
            "entries": len(passages),
            "statements": found.statements,
            "facts": len(facts),
            "new_entities": len(found.new_entities),
            "candidates": sum(fact.candidate for fact in facts),
            "about_nobody": found.about_nobody,
        },
        facts=tuple(facts),
    )
