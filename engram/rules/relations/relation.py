"""The relation that a fact states: who stands in which relation to whom, by the fact's attribute or its tags."""

from collections.abc import Callable
from collections.abc import Iterator
from typing import NamedTuple

from engram.model.fact import Fact
from engram.rules.relations.ontology import VALUE
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import RelationType


class Relation(NamedTuple):
    """Two ends and how the one stands to the other, with the fact that says so."""

    type: RelationType
    source: str  # path of the entity from which it goes, or a value as written
    target: str  # the same of the other end
    fact: Fact
    joins: bool  # both ends are entities
    fits: bool = True  # the ends are of the kinds that the type is for

    @property
    def ends(self) -> tuple[str, str]:
        """The two ends, as the relation goes."""
        return self.source, self.target


def read_relations(fact: Fact, ontology: Ontology, find: Callable[[str], str | None]) -> Iterator[Relation]:
    """Yield the relations that a fact states; usually none or one.

    By its attribute, whose value names the other end; else by a tag that is the name of a type, for each entity that
    the fact names, as importers keep the relations of other memories. Where several types fit, the first one counts.

    Args:
        fact: what is known of it but for its text.
        ontology: the types there are.
        find: returns the path of the entity that a value names, else None.
    """
    if fact.attribute and fact.value:
        if stated := ontology.stated_by(fact.attribute):
            yield _of_value(fact, fact.value, stated, find)
        return
    for tag in fact.tags:
        if (named := ontology.find(tag)) is not None:
            for other in fact.related:
                if other != fact.entity:
                    fits = named.may_join(_kind(fact.entity), _kind(other))
                    yield Relation(named, fact.entity, other, fact, joins=True, fits=fits)


def _of_value(
    fact: Fact, value: str, stated: list[tuple[RelationType, bool]], find: Callable[[str], str | None]
) -> Relation:
    is_value = all(VALUE in {one.source, one.target} for one, _ in stated)
    other = None if is_value else find(value)
    other = None if other == fact.entity else other
    here, there = _kind(fact.entity), _kind(other) if other else None
    for one, is_reverse in stated:
        kinds = (there, here) if is_reverse else (here, there)
        if one.may_join(*kinds):
            return _relation(one, fact, other, value, is_reverse=is_reverse, fits=True)
    one, is_reverse = stated[0]
    return _relation(one, fact, other, value, is_reverse=is_reverse, fits=False)


def _relation(
    kind: RelationType, fact: Fact, other: str | None, value: str, *, is_reverse: bool, fits: bool
) -> Relation:
    end = other or value
    source, target = (end, fact.entity) if is_reverse else (fact.entity, end)
    return Relation(kind, source, target, fact, joins=other is not None, fits=fits)


def _kind(path: str) -> str:
    return path.partition("/")[0]
