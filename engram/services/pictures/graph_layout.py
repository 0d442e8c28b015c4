"""Where the entities of a graph are drawn: the same graph always in the same places.

Entities that facts join, directly or through others, are a cluster. Each cluster is laid out by itself, for loose ones
would be driven to the far ends of a common drawing, and then they are put beside each other, the largest first.
"""

import math
from collections.abc import Iterable
from typing import Final
from typing import NamedTuple

import networkx as nx

from engram.services.graph.entity_graph import Edge
from engram.services.graph.entity_graph import EntityGraph

MOST_DRAWN: Final = 400  # entities: beyond that nobody sees anything, and the library would need SciPy
_SEED: Final = 4
_STEPS: Final = 120  # of a layout
_SPACE: Final = 0.14  # of a cluster's side, around it
_FINEST: Final = 40  # steps in which the scale of the clusters is sought

Place = tuple[float, float]


class Picked(NamedTuple):
    """What of a graph is drawn."""

    graph: EntityGraph
    left_out: int  # entities for which there is no room


def most_joined(graph: EntityGraph, most: int = MOST_DRAWN) -> Picked:
    """Return the part of a graph that can be drawn: the entities that the most facts join, then the best known."""
    weight = joined_facts(graph.edges)
    ranked = sorted(graph.nodes, key=lambda node: (-weight.get(node.path, 0), -node.facts, node.path))
    kept = {node.path for node in ranked[:most]}
    nodes = [node for node in graph.nodes if node.path in kept]
    edges = [edge for edge in graph.edges if {edge.first, edge.last} <= kept]
    return Picked(EntityGraph(nodes, edges), len(graph.nodes) - len(nodes))


def joined_facts(edges: Iterable[Edge]) -> dict[str, int]:
    """Return, by entity, how many facts join it to another one."""
    found: dict[str, int] = {}
    for edge in edges:
        for path in (edge.first, edge.last):
            found[path] = found.get(path, 0) + edge.facts
    return found


def lay_out(edges: Iterable[Edge], width: float, height: float) -> dict[str, Place]:
    """Return where in a box each entity that is joined to another one stands."""
    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_weighted_edges_from((one.first, one.last, math.log2(1 + one.facts)) for one in edges)
    clusters = sorted((sorted(one) for one in nx.connected_components(drawn)), key=lambda one: (-len(one), one))
    sides = [math.sqrt(len(one)) for one in clusters]
    scale, corners = _packed(sides, width, height)
    places: dict[str, Place] = {}
    for members, side, corner in zip(clusters, sides, corners, strict=True):
        inside = side * scale
        wide = (width if len(clusters) == 1 else inside, height if len(clusters) == 1 else inside)
        places |= _placed(_spread(drawn.subgraph(members)), corner, wide)
    return places


def _spread(cluster: "nx.Graph[str]") -> dict[str, Place]:
    """Return places in a square of side 1."""
    ordered: nx.Graph[str] = nx.Graph()
    ordered.add_nodes_from(sorted(cluster.nodes))
    ordered.add_edges_from((a, b, {"weight": cluster[a][b]["weight"]}) for a, b in sorted(map(sorted, cluster.edges)))
    apart = 1.6 / math.sqrt(max(1, len(ordered)))
    found = nx.spring_layout(ordered, k=apart, iterations=_STEPS, seed=_SEED, method="force")
    xs, ys = ([float(place[axis]) for place in found.values()] for axis in (0, 1))
    spans = (min(xs), max(xs) - min(xs) or 1.0), (min(ys), max(ys) - min(ys) or 1.0)
    return {path: tuple((float(at[n]) - spans[n][0]) / spans[n][1] for n in (0, 1)) for path, at in found.items()}  # type: ignore[misc]


def _placed(spread: dict[str, Place], corner: Place, size: Place) -> dict[str, Place]:
    """Return the same places in a box, with space around them."""
    room = 1 - 2 * _SPACE
    return {
        path: (corner[0] + (_SPACE + room * x) * size[0], corner[1] + (_SPACE + room * y) * size[1])
        for path, (x, y) in spread.items()
    }


def _packed(sides: list[float], width: float, height: float) -> tuple[float, list[Place]]:
    """Return the largest scale at which squares of these sides, in rows, fit into a box, and their corners."""
    low, high = 0.0, max(width, height)
    for _ in range(_FINEST):
        middle = (low + high) / 2
        low, high = (middle, high) if _rows(sides, middle, width, height) is not None else (low, middle)
    return low, _rows(sides, low, width, height) or [(0.0, 0.0)] * len(sides)


def _rows(sides: list[float], scale: float, width: float, height: float) -> list[Place] | None:
    corners: list[Place] = []
    x = y = tallest = 0.0
    for side in (one * scale for one in sides):
        if x + side > width:
            x, y, tallest = 0.0, y + tallest, 0.0
        if side > width or y + side > height:
            return None
        corners.append((x, y))
        x, tallest = x + side, max(tallest, side)
    return corners
