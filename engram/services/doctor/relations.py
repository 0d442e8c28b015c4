"""Relations that drift: between ends that their type is not for, and attributes that join entities and are no type."""

import datetime as dt
import shlex
from collections import Counter
from collections.abc import Iterator

from engram.errors import SettingsError
from engram.language.compare.slots.slots import canonical
from engram.model.fact import Fact
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.model.vocabulary import Status
from engram.ports.columns import SpanFilter
from engram.ports.database import FactDatabase
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import default_ontology
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import standing
from engram.services.graph.joins import Joins
from engram.services.graph.ontology_file import read_ontology

_MOST = 10  # findings of each kind at a time
_OFTEN = 3  # facts whose attribute joins entities before it is proposed as a type


def check_relations(checkup: Checkup) -> Iterator[Finding]:
    """The types of relations read, and facts keep to them."""
    try:
        ontology = read_ontology(checkup.paths.ontology)
    except SettingsError as problem:
        path = checkup.paths.ontology
        yield checkup.finding("ontology-invalid", Level.ERROR, path, problem.message, problem.hint)
        ontology = default_ontology()
    with standing(checkup) as database:
        if database is not None:
            yield from find_drift(database, ontology)


def find_drift(database: FactDatabase, ontology: Ontology) -> Iterator[Finding]:
    """Yield a finding for each fact whose relation its type is not for, and for each attribute that might be a type."""
    lives = (one.fact for one in database.fact_lives(SpanFilter(dt.UTC)))
    facts = [one for one in lives if one.status == Status.ACTIVE and one.attribute and one.value]
    joins = Joins(database.list_entities(()), ontology)
    unfit = [(fact, one) for fact in facts for one in joins.relations(fact) if not one.fits]
    for fact, one in unfit[:_MOST]:
        kinds = " to ".join(kind or "any entity" for kind in (one.type.source, one.type.target))
        yield Finding(
            code="relation-unfit",
            level=Level.INFO,
            path=f"life/{fact.entity}",
            message=f"{fact.id} says: {one.source} {one.type.shown} {one.target}; {one.type.name} goes from {kinds}",
            command=f"engram show {shlex.quote(fact.id)}",
        )
    yield from _untyped(facts, joins, ontology)


def _untyped(facts: list[Fact], joins: Joins, ontology: Ontology) -> Iterator[Finding]:
    attributes = (canonical(fact.attribute or "") for fact in facts if joins.find(fact.value or ""))
    counts = Counter(one for one in attributes if not ontology.stated_by(one))
    for attribute, count in counts.most_common(_MOST):
        if count >= _OFTEN:
            yield Finding(
                code="relation-untyped",
                level=Level.INFO,
                path="references/ontology.toml",
                message=f"{count} facts join entities by {attribute!r}, which is no type of relation",
                command=f"write [{attribute.replace('-', '_')}] into references/ontology.toml",
            )
