"""What a statement would contradict, without writing anything."""

from typing import Any

from engram.base.text import clean_statement
from engram.errors import BadValueError
from engram.language.comparing import compare
from engram.model.comparison import EXCLUDING
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.listing import get_entity_path


def find_contradictions(database: FactDatabase, entity: str, text: str, *, cross_entity: bool) -> list[dict[str, Any]]:
    """Return the active facts that cannot hold beside the statement, surest first, each with a reason in words.

    Looks at the entity, and with `cross_entity` at those that its facts are related to or that relate to it.
    Raises UnknownEntityError, AmbiguousNameError, BadValueError.
    """
    statement = clean_statement(text)
    if not statement:
        raise BadValueError("--fact is empty", hint="say one statement")
    path = get_entity_path(database, entity)
    facts = database.list_facts(FactFilter(entity=path))
    if cross_entity:
        facts += _related_facts(database, path, facts)
    found = [(fact, compare(statement, fact.text)) for fact in facts]
    conflicts = [_conflict(fact, one) for fact, one in found if one.kind in EXCLUDING]
    return sorted(conflicts, key=lambda one: (-one["confidence"], one["id"]))


def _related_facts(database: FactDatabase, path: str, facts: list[Fact]) -> list[Fact]:
    everything = database.list_facts(FactFilter())
    named = {other for fact in facts for other in fact.related}
    naming = {fact.entity for fact in everything if path in fact.related}
    return [fact for fact in everything if fact.entity in (named | naming) - {path}]


def _conflict(fact: Fact, comparison: Any) -> dict[str, Any]:
    return {
        "id": fact.id,
        "entity": fact.entity,
        "text": fact.text,
        "kind": comparison.kind,
        "attribute": fact.attribute,
        "confidence": comparison.confidence,
        "why": comparison.why,
    }
