"""Relations that drift: between ends that their type is not for, and attributes that join entities and are no type."""

import shlex
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping

from engram.errors import SettingsError
from engram.language.compare.slots.slots import canonical
from engram.model.fact import Fact
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.model.vocabulary import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import default_ontology
from engram.rules.relations.relation import Relation
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import standing
from engram.services.graph.joins import Joins
from engram.services.graph.ontology_file import read_ontology

_MOST = 10  # findings of each kind at a time
_OFTEN = 3  # facts whose attribute joins entities before it is proposed as a type


def check_relations(checkup: Checkup) -> Iterator[Finding]:
    """The types of relations read, and facts keep to them."""
    try:
        ontology = read_ontology(checkup.files)
    except SettingsError as problem:
        path = checkup.paths.ontology
        yield checkup.finding("ontology-invalid", Level.ERROR, path, problem.message, problem.hint)
        ontology = default_ontology()
    with standing(checkup) as database:
        if database is not None:
            yield from find_drift(database, ontology)


def find_drift(database: FactDatabase, ontology: Ontology) -> Iterator[Finding]:
    """Yield a finding for each fact whose relation its type is not for, and for each attribute that might be a type."""
    joins = Joins(database.list_entities(()), ontology)
    unfit: list[tuple[Fact, Relation]] = []
    joining: Counter[str] = Counter()  # attributes of facts whose value names an entity
    for fact in database.iter_facts(FactFilter()):
        if fact.attribute and fact.value and fact.trust != Trust.QUARANTINED:
            unfit += [(fact, one) for one in joins.relations(fact) if not one.fits][: _MOST - len(unfit)]
            joining[canonical(fact.attribute)] += joins.find(fact.value) is not None
    for fact, one in unfit:
        kinds = " to ".join(kind or "any entity" for kind in (one.type.source, one.type.target))
        yield Finding(
            code="relation-unfit",
            level=Level.INFO,
            path=f"life/{fact.entity}",
            message=f"{fact.id} says: {one.source} {one.type.shown} {one.target}; {one.type.name} goes from {kinds}",
            command=f"engram show {shlex.quote(fact.id)}",
        )
    yield from _untyped(joining, ontology)


def _untyped(joining: Mapping[str, int], ontology: Ontology) -> Iterator[Finding]:
    counts = Counter({one: count for one, count in joining.items() if not ontology.stated_by(one)})
    for attribute, count in counts.most_common(_MOST):
        if count >= _OFTEN:
            yield Finding(
                code="relation-untyped",
                level=Level.INFO,
                path="references/ontology.toml",
                message=f"{count} facts join entities by {attribute!r}, which is no type of relation",
                command=f"write [{attribute.replace('-', '_')}] into references/ontology.toml",
            )
