"""What joins entities: the relations that facts state, and the entities that facts name besides."""

from collections.abc import Iterable
from collections.abc import Iterator
from functools import cached_property

from engram.language.compare.slots.slots import is_named
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import default_ontology
from engram.rules.relations.relation import Relation
from engram.rules.relations.relation import read_relations


class Joins:
    """Reads what joins the entities that a reader may know; a value names one of them, or nobody."""

    def __init__(self, entities: Iterable[Entity], ontology: Ontology | None = None) -> None:
        """Take the entities, and the types of relations; None: those of the package."""
        self._entities = {one.path: one for one in entities}
        self._ontology = ontology or default_ontology()
        self._found: dict[str, str | None] = {}  # path by value

    def relations(self, fact: Fact) -> Iterator[Relation]:
        """Yield the relations that a fact states."""
        return read_relations(fact, self._ontology, self.find)

    def others(self, fact: Fact) -> tuple[str, ...]:
        """Return the paths of the entities to which a fact joins its own, each once."""
        stated = (end for one in self.relations(fact) if one.joins for end in one.ends) if fact.attribute else ()
        return tuple(one for one in dict.fromkeys((*fact.related, *stated)) if one != fact.entity)

    def find(self, value: str) -> str | None:
        """Return the path of the entity that a value names, also in a case of its name, or None."""
        if value not in self._found:
            self._found[value] = self._named(value)
        return self._found[value]

    @cached_property
    def _names(self) -> NameIndex:
        return NameIndex(Known(one.path, (one.title, *one.aliases)) for one in self._entities.values())

    def _named(self, value: str) -> str | None:
        if (path := self._names.find_path(value)) is not None:
            return path
        said = {one.path for one in self._names.find(value)}
        if len(said) != 1:
            return None
        one = self._entities[said.pop()]  # "Acme's rival" speaks of Acme, and is not Acme
        return one.path if is_named(value, one.path, (one.title, *one.aliases)) else None
