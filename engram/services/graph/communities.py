"""Groups of entities that facts join more with each other than with the rest."""

from typing import Final
from typing import NamedTuple

from engram.services.graph.entity_graph import EntityGraph

_SEED: Final = 1  # the same graph has the same groups


class Community(NamedTuple):
    """One group of entities."""

    entities: list[str]  # paths, those first that the most facts join with others of the group
    facts: int  # that join two of them


def find_communities(graph: EntityGraph) -> list[Community]:
    """Return the groups of two entities and more by the method of Louvain, the largest first, then by path."""
    import networkx as nx  # noqa: PLC0415 - 140 ms, and only for this question

    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_weighted_edges_from((one.first, one.last, one.facts) for one in graph.edges)
    found = []
    for members in nx.community.louvain_communities(drawn, seed=_SEED):
        inside = drawn.subgraph(members)
        ranked = sorted((-weight, path) for path, weight in inside.degree(weight="weight"))
        if len(ranked) > 1:
            found.append(Community([path for _, path in ranked], int(inside.size(weight="weight"))))
    return sorted(found, key=lambda one: (-len(one.entities), one.entities[0]))
