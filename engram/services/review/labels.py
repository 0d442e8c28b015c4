"""Decisions of reviews as labelled examples, read from the journal's own record of them: nothing else to keep."""

from collections.abc import Iterator
from typing import Any
from typing import Final

from engram.language.matching.language_id import language_of
from engram.model.changes.settlement import Settlement
from engram.model.changes.settlement import Verdict
from engram.model.fact import Fact
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter

LABELS: Final = {
    Verdict.SUPERSEDE: "contradiction",
    Verdict.WRONG_SOURCE: "contradiction",
    Verdict.MERGE: "contradiction",
    Verdict.BOTH_TRUE: "both_true",
    Verdict.DISSOLVE: "no_conflict",
}


def labels(database: FactDatabase) -> Iterator[dict[str, Any]]:
    """Yield one row for each decision that stands, oldest first.

    Of a tension: `old` and `new` (both statements), `label` (contradiction, both_true, no_conflict), `kind` (what the
    rule said, or manual), `outcome`, `language`. Of an observation: `text`, `category`, `label` (promote, dismiss,
    merge), `seen`, `language`. What was forgotten since gives no row.
    """
    standing = [one for one in database.list_settlements() if one.undone_at is None]
    tensions = {one.id: one for one in database.list_tensions("all")}
    noticed = {one.id: one for one in database.list_observations("all")}
    wanted = {side for one in standing if (found := tensions.get(one.subject)) for side in (found.fact1, found.fact2)}
    facts = (
        {fact.id: fact for fact in database.list_facts(FactFilter(status="all", ids=tuple(wanted)))} if wanted else {}
    )
    for one in standing:
        tension, observation = tensions.get(one.subject), noticed.get(one.subject)
        if tension is not None and {tension.fact1, tension.fact2} <= facts.keys():
            yield _pair(one, tension, facts)
        elif observation is not None:
            yield _noticed(one, observation)


def _pair(settled: Settlement, tension: Tension, facts: dict[str, Fact]) -> dict[str, Any]:
    old, new = facts[tension.fact1].text, facts[tension.fact2].text
    return {
        "id": settled.id,
        "about": tension.id,
        "old": old,
        "new": new,
        "label": LABELS[settled.verdict],
        "kind": tension.kind,
        "outcome": settled.verdict.value,
        "language": language_of(new),
    }


def _noticed(settled: Settlement, observation: Observation) -> dict[str, Any]:
    return {
        "id": settled.id,
        "about": observation.id,
        "text": observation.text,
        "category": observation.category.value,
        "label": settled.verdict.value,
        "seen": observation.seen,
        "language": language_of(observation.text),
    }
