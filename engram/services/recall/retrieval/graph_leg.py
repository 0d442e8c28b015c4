"""What the graph of entities proposes: facts of the entities that a question names, and of those near them.

Activation spreads from the named entities along `related` and along the relations that facts state, as in personalised
PageRank (Page et al. 1999, "The PageRank citation ranking"; damping 0.85 there, less here because two steps away little
belongs to the question).
"""

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.database import SliceKeys
from engram.rules.relations.ontology import default_ontology

_STEPS = 2  # away from a named entity
_MOST_ENTITIES = 40  # whose facts are looked at; the nearest first
_DAMPING = 0.5  # share of its activation that an entity passes on


def spread(database: FactDatabase, named: Collection[str], scopes: Sequence[str]) -> dict[str, tuple[Fact, float]]:
    """Return by id the live facts of the named entities and of those near them, each with its activation, above 0.

    A fact that names its entity's neighbour counts for both: it has the activation of the more active end.
    """
    facts, edges = _neighbourhood(database, sorted(named), scopes)
    active = _activation(edges, named) if edges else dict.fromkeys(named, 1.0)
    weighed = {fact.id: (fact, max(active.get(end, 0.0) for end in (fact.entity, *fact.related))) for fact in facts}
    return {key: pair for key, pair in weighed.items() if pair[1] > 0}


def _neighbourhood(
    database: FactDatabase, named: Sequence[str], scopes: Sequence[str]
) -> tuple[list[Fact], dict[str, dict[str, int]]]:
    """Return the facts within reach, and how many facts join each pair of entities."""
    facts: list[Fact] = []
    edges: dict[str, dict[str, int]] = {}
    seen = dict.fromkeys(named)
    front = list(named)
    for _ in range(_STEPS):
        following: dict[str, None] = {}
        known = _facts_of(database, front, scopes)
        told = [fact for path in front for fact in known.get(path, ())]
        ends = _stated_ends(database, told)
        for fact in told:
            for other in dict.fromkeys((*fact.related, *ends.get(fact.id, ()))):
                _join(edges, fact.entity, other)
                following.setdefault(other)
        facts += told
        front = [path for path in following if path not in seen][: max(0, _MOST_ENTITIES - len(seen))]
        seen.update(dict.fromkeys(front))
    return facts, edges


def _stated_ends(database: FactDatabase, facts: Iterable[Fact]) -> dict[str, tuple[str, ...]]:
    """Return by id of a fact the entity that its value names, where the attribute is that of a relation."""
    ontology = default_ontology()
    values = {one.id: one.value for one in facts if one.attribute and one.value and ontology.stated_by(one.attribute)}
    if not values:
        return {}
    state = database.load_slice(SliceKeys(names=frozenset(values.values())))
    named = {key: state.find_entities(value) for key, value in values.items()}
    return {key: tuple(found) for key, found in named.items() if len(found) == 1}


def _facts_of(database: FactDatabase, paths: Sequence[str], scopes: Sequence[str]) -> dict[str, list[Fact]]:
    """Return the facts of each of these entities, asked for at once: a question for each reads the table each time."""
    found: dict[str, list[Fact]] = {}
    for fact in database.list_facts(FactFilter(entities=tuple(paths), scopes=tuple(scopes))) if paths else ():
        found.setdefault(fact.entity, []).append(fact)
    return found


def _join(edges: dict[str, dict[str, int]], one: str, other: str) -> None:
    for start, end in ((one, other), (other, one)):
        beside = edges.setdefault(start, {})
        beside[end] = beside.get(end, 0) + 1


def _activation(edges: Mapping[str, Mapping[str, int]], named: Collection[str]) -> dict[str, float]:
    """Return how active each entity is, the named ones most.

    Personalised PageRank is Katz centrality on the graph whose outgoing weights sum to 1, with the seeds as constants;
    the library's own `pagerank` would need SciPy.
    """
    import networkx as nx  # noqa: PLC0415 - 140 ms, and only for a question about an entity that has neighbours

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(named)
    for start, beside in edges.items():
        total = sum(beside.values())
        graph.add_weighted_edges_from((start, end, count / total) for end, count in beside.items())
    seeds = {node: (1.0 - _DAMPING) * (node in named) for node in graph}
    found: dict[str, float] = nx.katz_centrality(graph, alpha=_DAMPING, beta=seeds, normalized=False, weight="weight")
    return found
