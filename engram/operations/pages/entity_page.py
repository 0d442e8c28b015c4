"""All that can be told of one entity: the page of what matters, every fact, whom it is joined to, and what waits."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.errors import RefusedError
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.tension import Tension
from engram.operations.answers.kept_promises import without_kept
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.database import SliceKeys
from engram.rules.life.grounds import Grounds
from engram.rules.life.shelves import lay_out
from engram.rules.temporal import holds_now
from engram.rules.temporal import standing
from engram.services.commands.entities.split import MERGE_KINDS
from engram.services.commands.entities.split import find_merge
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.facts.parts import grounds_of_each
from engram.services.facts.sources.origins import with_source_lines
from engram.services.graph.near_entities import relations_of
from engram.services.graph.ontology_file import read_ontology
from engram.services.recall.presentation.near_duplicates import find_restated
from engram.services.review.names import NamePair
from engram.services.review.queue import PendingItem
from engram.services.review.queue import describe
from engram.services.review.visible_queue import visible_queue
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

MOST_VERSIONS: Final = 600  # of an entity that are told, the newest
_LINES: Final = 14  # of its summary
_COMPARED: Final = 4 * _LINES  # facts of which near-duplicates are looked for


def entity_page(workspace: Workspace, name: str, caller: Caller | None) -> dict[str, Any]:
    """Return entity, counts, summary, facts, left, relations, waiting and merged, as far as the caller may see it.

    `counts` is {standing: versions}; `summary` is [{"shelf", "ids"}] of what matters now; `facts` are the versions that
    are believed, the newest of them, and then the others, each with `said`, its source in one line, and `grounds` if it
    was made of others, as of `fact_page`; `left` is how many more there are; `waiting` what a review has to settle of
    it; `merged`, for the owner alone, who was merged into it last and can be split off again.

    Raises:
        UnknownEntityError, AmbiguousNameError: for the name.
    """
    settings = workspace.settings
    moment = Moment(workspace.now(), settings.decay, settings.zone, caller)
    ontology = read_ontology(workspace.files)
    with workspace.reading() as database:
        path = get_entity_path(database, name, caller)
        entity = next(one for one in visible_entities(database, caller or Caller()) if one.path == path)
        facts = _facts(database, path, caller)
        newest = sorted(facts, key=_believed_and_newest_last)[-MOST_VERSIONS:]
        grounds = grounds_of_each(database, newest, caller)
        told = without_kept(database, fact_views(database, newest, moment), moment)
        views = with_source_lines(database, newest, told)
        return {
            "entity": entity.model_dump(mode="json", exclude={"next_number"}),
            "is_owner": path == settings.owner,
            "counts": Counter(standing(fact, moment.now).value for fact in facts),
            "summary": _summary(database, newest, {view["id"]: view["tier"] for view in views}, moment),
            "facts": [{**view, **_made_of(grounds.get(view["id"]))} for view in views],
            "left": len(facts) - len(newest),
            "relations": relations_of(database, path, moment, ontology=ontology),
            "waiting": _waiting(workspace, database, path, caller),
            "merged": _merged(database, path) if caller is None else None,
        }


def _made_of(grounds: Grounds | None) -> dict[str, Any]:
    return {} if grounds is None else {"grounds": grounds._asdict()}


def _believed_and_newest_last(fact: Fact) -> tuple[bool, dt.datetime, dt.datetime, str]:
    return fact.status == Status.ACTIVE, fact.recorded_at, fact.valid_from, fact.id


def _facts(database: FactDatabase, path: str, caller: Caller | None) -> list[Fact]:
    """Return every version about an entity; what is quarantined is for a person alone."""
    scopes = () if caller is None else visible_scopes(caller)
    found = database.list_facts(FactFilter(entity=path, status="all", scopes=scopes))
    return found if caller is None else [fact for fact in found if fact.trust != Trust.QUARANTINED]


def _summary(
    database: FactDatabase, facts: Sequence[Fact], tier_of: Mapping[str, str], moment: Moment
) -> list[dict[str, Any]]:
    """Return the shelves of the entity's page, as life/ lays them out, with fewer lines."""
    current = [fact for fact in facts if holds_now(fact, moment.now) and fact.trust != Trust.QUARANTINED]
    usages = database.usages([fact.id for fact in current])
    known = {fact.id: fact for fact in facts}
    restated = find_restated({fact.id: fact.text for fact in current[-_COMPARED:][::-1]})
    page = lay_out(current, known, usages, tier_of, restated=restated, room=_LINES)
    return [{"shelf": shelf.title, "ids": [fact.id for fact in placed]} for shelf, placed in page.shelves]


def _waiting(workspace: Workspace, database: FactDatabase, path: str, caller: Caller | None) -> list[dict[str, Any]]:
    """Return what a review has to settle about an entity: also whether it is one with another."""
    queue = visible_queue(database, workspace.settings, caller, workspace.now())
    sides = {key for one in queue if isinstance(one.thing, Tension) for key in (one.thing.fact1, one.thing.fact2)}
    listed = database.list_facts(FactFilter(status="all", ids=tuple(sorted(sides)))) if sides else []
    entity_of = {fact.id: fact.entity for fact in listed}
    about = [one for one in queue if path in _entities_of(one, entity_of)]
    files = workspace.files
    return [describe(database, one, workspace.settings, files, for_person=caller is None) for one in about]


def _merged(database: FactDatabase, path: str) -> str | None:
    """Return the path of the entity that was merged into this one last, and can be split off again."""
    state = database.load_slice(SliceKeys(names=frozenset({path}), undoable_kinds=MERGE_KINDS))
    try:
        done = find_merge(state, path).rearrangement
    except RefusedError:
        return None
    return done.former if done is not None else None


def _entities_of(waiting: PendingItem, entity_of: Mapping[str, str]) -> set[str | None]:
    thing = waiting.thing
    if isinstance(thing, NamePair):
        return {thing.goes, thing.stays}
    if isinstance(thing, Tension):
        return {entity_of.get(thing.fact1), entity_of.get(thing.fact2)}
    return {thing.entity}
