"""Questions of fixed forms about an entity, answered also from what others' facts say of how they stand to it."""

from collections.abc import Sequence
from typing import Any

from engram.language.compare.slots.slots import canonical
from engram.ports.database import FactDatabase
from engram.rules.relations.ontology import default_ontology
from engram.services.facts.listing import get_entity_path
from engram.services.facts.questions import answer_attributes
from engram.services.facts.questions import answer_template
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.typed_relations import facts_of_people

WHO = "who"  # also told by facts about people: "Omar owns Billing" says who, of Billing


def answer_from_graph(
    database: FactDatabase, template: str, name: str, words: Sequence[str], asked: GraphQuery
) -> dict[str, Any]:
    """Return what `answer_template` does; who stands to the entity in a relation is told by facts about them, too.

    Raises UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, name, asked.moment.caller)
    also = facts_of_people(database, asked, path) if template == WHO else []
    return answer_template(database, template, path, words, asked.moment, also=also)


def answer_asked(
    database: FactDatabase, template: str, name: str, attributes: Sequence[frozenset[str]], asked: GraphQuery
) -> dict[str, Any]:
    """Return what `answer_attributes` does; facts about people tell what they say from their end of a relation.

    Of Billing the owner is asked for: "Omar owns Billing" is a fact of Omar. Raises UnknownEntityError,
    AmbiguousNameError.
    """
    path = get_entity_path(database, name, asked.moment.caller)
    ontology = asked.ontology or default_ontology()
    others = [
        frozenset().union(
            *(one.of if is_reverse else one.reverse for each in choice for one, is_reverse in ontology.stated_by(each))
        )
        for choice in attributes
    ]
    also = []
    if others and all(others):
        told = facts_of_people(database, asked, path)
        also = [one for one in told if all(canonical(one.attribute or "") in ends for ends in others)]
    return answer_attributes(database, template, path, attributes, asked.moment, also=also)
