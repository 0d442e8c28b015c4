"""The graph of entities in forms that other programs read: GraphML, DOT and JSON."""

import json
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

import networkx as nx

from engram.services.graph.entity_graph import EntityGraph
from engram.services.graph.entity_graph import Node
from engram.services.graph.typed_relations import StatedRelation
from engram.services.pictures.canvas import MADE_BY
from engram.services.pictures.canvas import plain


def graph_json(graph: EntityGraph, relations: Sequence[StatedRelation] = ()) -> dict[str, Any]:
    """Return {"made_by", "nodes": [{"path", "title", ...}], "edges": [{"first", ...}], "relations": [{"type", ..}]}."""
    return {
        "made_by": MADE_BY,
        "nodes": [_fields(one) for one in graph.nodes],
        "edges": [one._asdict() for one in graph.edges],
        "relations": [one.as_json() for one in relations],
    }


def render_json(graph: EntityGraph, relations: Sequence[StatedRelation] = ()) -> bytes:
    """Return the graph as JSON."""
    return json.dumps(graph_json(graph, relations), ensure_ascii=False, indent=1).encode() + b"\n"


def render_graphml(graph: EntityGraph, relations: Sequence[StatedRelation] = ()) -> bytes:
    """Return the graph as GraphML, which Gephi, yEd and Cytoscape read."""
    shown = _shown(relations)
    made: nx.Graph[str] = nx.Graph(made_by=MADE_BY)
    for one in graph.nodes:
        fields = _fields(one)
        tiers = fields.pop("tiers")
        words = {name: value for name, value in fields.items() if value is not None}
        words |= {"label": plain(one.title), "title": plain(one.title), "tags": plain(", ".join(one.tags))}
        made.add_node(one.path, **words, **tiers)
    for edge in graph.edges:
        words = {"relations": said} if (said := shown.get((edge.first, edge.last))) else {}
        made.add_edge(edge.first, edge.last, weight=edge.facts, **words)
    return ("\n".join(nx.generate_graphml(made)) + "\n").encode()


def render_dot(graph: EntityGraph, relations: Sequence[StatedRelation] = ()) -> bytes:
    """Return the graph in the language of Graphviz."""
    shown = _shown(relations)
    lines = [f"// {MADE_BY}", "graph memory {"]
    lines += [f"  {_quoted(one.path)} [label={_quoted(one.title)}, facts={one.facts}];" for one in graph.nodes]
    for one in graph.edges:
        said = shown.get((one.first, one.last))
        label = f", label={_quoted(said)}" if said else ""
        lines.append(f"  {_quoted(one.first)} -- {_quoted(one.last)} [weight={one.facts}{label}];")
    return "\n".join([*lines, "}", ""]).encode()


def _shown(relations: Iterable[StatedRelation]) -> dict[tuple[str, str], str]:
    """Return by the ends of an edge what is said between them: "people/anna reports to people/omar"."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in relations:
        if one.joins:
            said = f"{one.source} {one.type.shown} {one.target}"
            found.setdefault((min(one.source, one.target), max(one.source, one.target)), []).append(said)
    return {ends: plain("; ".join(said)) for ends, said in found.items()}


def _fields(node: Node) -> dict[str, Any]:
    days = {
        name: day.isoformat() if day else None for name, day in (("first_on", node.first_on), ("last_on", node.last_on))
    }
    return {**node._asdict(), **days, "facts": node.facts, "hottest": node.hottest}


def _quoted(words: str) -> str:
    escaped = plain(words).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
