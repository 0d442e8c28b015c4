"""What synthesis looks at for wisdom: the facts of the entities that changed, and on which occasions each was said."""

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.model.conversation import Watermark
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.decay import HOT
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.rules.life.importance import importance
from engram.rules.life.promotion import CONSUMER
from engram.rules.life.promotion import may_be_put_forward
from engram.rules.writes.derivation import OBSERVATION
from engram.services.mirror.changed_entities import touched_entities
from engram.services.silo.memory_file import lines_by_id
from engram.services.silo.memory_file import read_memory
from engram.services.silo.memory_file import statements_in
from engram.services.synthesis.occasions import occasions_of
from engram.services.synthesis.patterns import PATTERN_OCCASIONS
from engram.services.synthesis.patterns import PRINCIPLE_WEEKS
from engram.services.visibility import current_path
from engram.workspace import Workspace

FACTS_KEY: Final = "facts"  # of the watermark that holds the journal position up to which facts were looked at


class Gathered(NamedTuple):
    """What there is to look at."""

    question: dict[str, Any] | None  # for the child; None when no entity changed
    occasions: dict[str, frozenset[str]]  # fact id -> when it was said
    texts: dict[str, str]  # fact id -> its statement
    mark: Watermark  # to be set when it was looked at
    alerts: list[str]  # lines of MEMORY.md that do not hold any more


def gather(
    workspace: Workspace, database: FactDatabase, watermarks: Mapping[str, str], *, force: bool = False
) -> Gathered:
    """Return the facts of the entities that changed since the watermark; all of them with `force` or at the first."""
    settings = workspace.settings
    memory = read_memory(workspace.files)
    lines = _facts_of_lines(database, lines_by_id(memory))
    alerts = _stale_lines(database, lines)
    position = database.position()
    mark = Watermark(consumer=CONSUMER, key=FACTS_KEY, value=str(position))
    if settings.synthesis.wisdom == "off":
        return Gathered(None, {}, {}, mark, alerts)
    done = 0 if force else int(watermarks.get(FACTS_KEY, "0"))
    if done:
        paths = touched_entities(database, workspace.journal, done)
    else:
        paths = {entity.path for entity in database.list_entities()}
    facts = [fact for fact in _facts(database, paths) if fact.scope == SHARED and fact.trust != Trust.QUARANTINED]
    if not facts:
        return Gathered(None, {}, {}, mark, alerts)
    evidence = _by_id(database, {one for fact in facts for one in fact.derived_from})
    looked_at = [*facts, *evidence.values()]
    usages = database.usages(fact.id for fact in looked_at)
    calendar = Calendar(settings.zone, database.active_days(settings.zone))
    tier = tiers(facts, usages, now=workspace.now(), calendar=calendar, settings=settings.decay)
    disputed = {side for one in database.list_tensions("all") for side in (one.fact1, one.fact2)}
    occasions = occasions_of(database, facts, evidence.values(), usages, settings.zone)
    by_entity: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fact in facts:
        row = _row(fact, usages.get(fact.id), occasions[fact.id])
        by_entity[fact.entity].append({**row, "is_disputed": fact.id in disputed, "is_hot": tier[fact.id] == HOT})
    question = {
        "entities": [{"path": path, "facts": of_one} for path, of_one in sorted(by_entity.items())],
        "pattern_occasions": PATTERN_OCCASIONS,
        "principle_weeks": PRINCIPLE_WEEKS,
        "owner": current_path(database, settings.owner),
        "in_memory": sorted({one for ids in lines.values() for one in ids}),
        "memory_says": sorted(statements_in(memory)),
        "patterns": list(settings.screen.patterns),
    }
    return Gathered(question, occasions, {fact.id: fact.text for fact in facts}, mark, alerts)


def _row(fact: Fact, usage: Usage | None, occasions: frozenset[str]) -> dict[str, Any]:
    """Return what the child is told of a fact by itself."""
    return {
        "id": fact.id,
        "entity": fact.entity,
        "text": fact.text,
        "category": fact.category.value,
        "abstraction": fact.abstraction.value,
        "confidence": fact.confidence,
        "skeleton": fact.skeleton,
        "slot": [fact.attribute, fact.value or ""] if fact.attribute else None,
        "occasions": sorted(occasions),
        "is_trusted": may_be_put_forward(fact),
        "is_pinned": usage is not None and usage.pinned,
        "importance": round(importance(fact, usage), 4),
    }


def _facts_of_lines(database: FactDatabase, lines: Mapping[str, str]) -> dict[str, list[str]]:
    """Return marker -> ids of the facts that a line of MEMORY.md stands on: it, or the evidence of an observation."""
    noticed = [one for one in lines if one.startswith(OBSERVATION)]
    stands_on = {one.id: list(one.facts) for one in database.list_observations("all")} if noticed else {}
    return {marker: stands_on.get(marker, [marker]) for marker in lines}


def _stale_lines(database: FactDatabase, lines: Mapping[str, list[str]]) -> list[str]:
    """Return a sentence for each line of MEMORY.md of whose facts none holds any more."""
    ids = {one for of_line in lines.values() for one in of_line}
    known = _by_id(database, ids)
    known |= _by_id(database, {fact.superseded_by for fact in known.values() if fact.superseded_by} - known.keys())
    return [
        f"the line of {marker} in MEMORY.md does not hold any more, {ids[0]} is {known[ids[0]].status}: change it there"
        for marker, ids in lines.items()
        if ids and all(one in known and not _holds(known[one], known) for one in ids)
    ]


def _holds(fact: Fact, known: Mapping[str, Fact]) -> bool:
    """Tell whether a fact is believed, be it as the more general one with the same words that took its place."""
    after = known.get(fact.superseded_by or "")
    if after is not None and after.fingerprint == fact.fingerprint:
        fact = after
    return fact.status not in {Status.SUPERSEDED, Status.RETRACTED}


def _by_id(database: FactDatabase, ids: Iterable[str]) -> dict[str, Fact]:
    wanted = tuple(sorted(ids))
    found = database.list_facts(FactFilter(ids=wanted, status="all")) if wanted else []
    return {fact.id: fact for fact in found}


def _facts(database: FactDatabase, paths: set[str]) -> Iterable[Fact]:
    return database.list_facts(FactFilter(entities=tuple(sorted(paths)))) if paths else []
