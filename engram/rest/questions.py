"""What is answered from facts without ranking: when what held, who stands where, and what would be contradicted."""

from typing import Annotated
from typing import Any

from pydantic import ConfigDict
from pydantic import Field

from engram.api.values import FactView
from engram.base.dates import parse_bound
from engram.base.dates import parse_moment
from engram.model.fact import Trust
from engram.rest.answers import Answer
from engram.rest.call import Call
from engram.rest.requests import Moment
from engram.rest.requests import Name
from engram.rest.requests import Request
from engram.rest.requests import Statement
from engram.services.facts.contradictions import find_contradictions
from engram.services.facts.timeline import timeline as timeline_of
from engram.services.facts.timeline import window_between
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.ontology_file import read_ontology
from engram.services.graph.typed_relations import list_relations


class TimelineQuery(Request):
    """Whose course, and of which time."""

    entity: Annotated[Name, Field(description="Path, title or alias.")]
    since: Moment = None
    until: Moment = None
    limit: Annotated[int | None, Field(ge=1, description="Only the newest so many.")] = None


class RelationsQuery(Request):
    """Which relations to list."""

    entity: Annotated[Name | None, Field(description="One end of each: path, title or alias.")] = None
    type: Annotated[Name | None, Field(description="Such as works_at.")] = None
    as_of: Annotated[Name | None, Field(description="As it was in the world then.")] = None
    as_known: Annotated[Name | None, Field(description="As it was believed then.")] = None


class ContradictionsRequest(Request):
    """A statement that is not written."""

    entity: Annotated[Name, Field(description="Whom or what it is about: path, title or alias.")]
    fact: Statement
    cross_entity: Annotated[bool, Field(description="Look at related entities, too.")] = False


class Timeline(Answer):
    """What was true of an entity, in the order in which it became true."""

    entity: str
    facts: list[FactView]


class StatedRelation(Answer):
    """How one stands to another."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    type: str
    source: Annotated[str, Field(alias="from")]  # path of an entity, or a value as written
    to: str  # likewise
    joins: bool  # both ends are entities
    since: str
    until: str | None
    trust: Trust
    facts: list[str]  # ids of those that state it, the newest first


class Relations(Answer):
    """Relations that facts state."""

    relations: list[StatedRelation]


class Conflict(Answer):
    """A fact that cannot hold beside a statement."""

    id: str
    entity: str
    text: str
    kind: str
    attribute: str | None
    confidence: float
    why: str


class Conflicts(Answer):
    """What a statement would contradict, surest first."""

    conflicts: list[Conflict]


def timeline(call: Call, said: TimelineQuery) -> dict[str, Any]:
    """Tell what was true of an entity, in the order in which it became true."""
    zone, now = call.workspace.settings.zone, call.workspace.now()
    since = parse_bound(said.since, zone=zone, now=now, name="since") if said.since else None
    until = parse_bound(said.until, zone=zone, now=now, name="until", ends=True) if said.until else None
    window, moment = window_between(since, until), call.moment()
    with call.workspace.reading() as database:
        path, views = timeline_of(database, said.entity, window, moment)
    return {"entity": path, "facts": views[-said.limit :] if said.limit else views}


def relations(call: Call, said: RelationsQuery) -> dict[str, Any]:
    """List who stands in which relation to whom, such as works_at or reports_to."""
    zone, now = call.workspace.settings.zone, call.workspace.now()
    query = GraphQuery(
        call.moment(),
        as_of=parse_moment(said.as_of, zone=zone, now=now, name="as_of") if said.as_of else None,
        as_known=parse_moment(said.as_known, zone=zone, now=now, name="as_known") if said.as_known else None,
        ontology=read_ontology(call.workspace.files),
    )
    with call.workspace.reading() as database:
        found = list_relations(database, query, name=said.entity or "", kind=said.type or "")
    return {"relations": [one.as_json() for one in found]}


def contradictions(call: Call, said: ContradictionsRequest) -> dict[str, Any]:
    """Say what a statement would contradict; writes nothing."""
    caller = call.caller()
    with call.workspace.reading() as database:
        found = find_contradictions(database, said.entity, said.fact, cross_entity=said.cross_entity, caller=caller)
    return {"conflicts": found}
