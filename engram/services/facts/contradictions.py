"""What a statement would contradict, without writing anything."""

from typing import Any

from engram.base.text import clean_statement
from engram.errors import BadValueError
from engram.language.compare.slots.clauses import Clause
from engram.language.compare.slots.slots import read_slot
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.database import SliceKeys
from engram.services.commands.writes.comparison import compare_all
from engram.services.commands.writes.slot_filling import Judged
from engram.services.commands.writes.slot_filling import judge_clauses
from engram.services.commands.writes.slot_filling import judge_slots
from engram.services.commands.writes.slot_filling import read_stated
from engram.services.commands.writes.slot_filling import slot_of_all
from engram.services.facts.listing import get_entity_path
from engram.services.visibility import Caller
from engram.services.visibility import visible_scopes


def find_contradictions(
    database: FactDatabase, entity: str, text: str, *, cross_entity: bool, caller: Caller | None = None
) -> list[dict[str, Any]]:
    """Return the active facts that cannot hold beside the statement, surest first, each with a reason in words.

    Looks at the entity, and with `cross_entity` at those that its facts are related to or that relate to it; at what
    `caller` may see, for None at all.
    Raises UnknownEntityError, AmbiguousNameError, BadValueError.
    """
    statement = clean_statement(text)
    if not statement:
        raise BadValueError("the statement is empty", hint="say one statement")
    path = get_entity_path(database, entity, caller)
    scopes = () if caller is None else visible_scopes(caller)
    known = database.load_slice(SliceKeys(names=frozenset({path}))).entities[path]
    facts = database.list_facts(FactFilter(entity=path, scopes=scopes))
    if cross_entity:
        facts += _related_facts(database, path, facts, scopes)
    names = (known.title, *known.aliases)
    stated = read_stated(statement, path, names)
    compared = compare_all(statement, [fact.text for fact in facts])
    found = [
        (fact, _judge(fact, stated, names, one) if fact.entity == path else Judged(one))
        for fact, one in zip(facts, compared, strict=True)
    ]
    conflicts = [_conflict(fact, stated, one) for fact, one in found if one.comparison.kind in EXCLUDING | DISPUTED]
    return sorted(conflicts, key=lambda one: (-one["confidence"], one["id"]))


def _related_facts(database: FactDatabase, path: str, facts: list[Fact], scopes: tuple[str, ...]) -> list[Fact]:
    named = {other for fact in facts for other in fact.related}
    naming = {fact.entity for fact in database.list_facts(FactFilter(naming=(path,), scopes=scopes))}
    others = tuple(sorted((named | naming) - {path}))
    return database.list_facts(FactFilter(entities=others, scopes=scopes)) if others else []


def _judge(fact: Fact, stated: tuple[Clause, ...], names: tuple[str, ...], comparison: Comparison) -> Judged:
    slot = slot_of_all(stated)
    if slot is not None:
        comparison = judge_slots(fact, slot.attribute, slot.value, comparison)
    return judge_clauses(stated, fact, names, comparison)


def _conflict(fact: Fact, stated: tuple[Clause, ...], judged: Judged) -> dict[str, Any]:
    comparison = judged.comparison
    attribute = judged.attribute or fact.attribute
    if attribute is None and comparison.kind == "attribute":
        read = slot_of_all(stated) or read_slot(fact.text)
        attribute = read.attribute if read else None
    return {
        "id": fact.id,
        "entity": fact.entity,
        "text": fact.text,
        "kind": comparison.kind,
        "attribute": attribute,
        "confidence": comparison.confidence,
        "why": comparison.why,
    }
