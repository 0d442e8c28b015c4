"""The built-in answer for extraction."""

from typing import Any

from engram.language.mentions import Known
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.domain import find_proposals
from engram.services.extraction import Passage
from engram.services.extraction import extract


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for extraction: facts from the passages, about the entities given and the new ones found."""
    passages = [
        Passage(
            row["id"],
            row["text"],
            tuple(row.get("headings", ())),
            bool(row.get("is_turn")),
            row.get("speaker"),
            row.get("occasion", ""),
            row.get("home", ""),
            row.get("home_title", ""),
        )
        for row in given["passages"]
    ]
    known = [Known(row["path"], tuple(row["names"])) for row in given["entities"]]
    found = extract(
        passages, known, owner=given["owner"], min_mentions=given["min_mentions"], background=given["background"]
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
            "new_entities": len(found.candidates),
            "about_nobody_known": found.unresolved,
        },
        facts=tuple(facts),
    )
