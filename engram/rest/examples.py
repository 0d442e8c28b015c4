"""Bodies of requests that the description shows, by the name of the operation; a test sends each of them."""

from typing import Any
from typing import Final

EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "recall": {"query": "which database does billing use", "k": 5},
    "write": {
        "entity": "projects/billing",
        "fact": "Billing uses PostgreSQL 16",
        "category": "decision",
        "create": True,
    },
    "correct": {"fact": "Billing uses PostgreSQL 17"},
    "retract": {"reason": "it was about another service"},
    "feedback": {"verdict": "useful"},
    "entity_add": {"path": "people/anna", "title": "Anna", "aliases": ["anna-k"]},
    "review_answer": {"outcome": "both-true"},
    "contradictions": {"entity": "projects/billing", "fact": "Billing uses MySQL 8"},
    "note_add": {"text": "Decided: the release moves to Friday", "section": "decisions"},
    "handoff_write": {"text": "Billing is migrated; next: switch the reports over"},
    "handoff_send": {"to": "reviewer", "text": "The branch is ready"},
    "inbox_reject": {"reason": "the branch does not build"},
    "decision_log": {"text": "We keep DuckDB", "tags": ["store"]},
    "capture": {
        "turns": [
            {
                "id": "1",
                "session": "kitchen",
                "speaker": "user",
                "at": "2026-02-24T10:00:00Z",
                "text": "I prefer short meetings",
            }
        ]
    },
}
