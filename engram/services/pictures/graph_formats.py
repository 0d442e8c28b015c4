"""The graph of entities in forms that other programs read: GraphML, DOT and JSON."""

import json
from typing import Any

from engram.services.graph.entity_graph import EntityGraph
from engram.services.graph.entity_graph import Node
from engram.services.pictures.canvas import MADE_BY
from engram.services.pictures.canvas import plain


def graph_json(graph: EntityGraph) -> dict[str, Any]:
    """Return {"made_by", "nodes": [{"path", "title", "kind", "facts", "tiers", ...}], "edges": [{"first", ...}]}."""
    return {
        "made_by": MADE_BY,
        "nodes": [_fields(one) for one in graph.nodes],
        "edges": [one._asdict() for one in graph.edges],
    }


def render_json(graph: EntityGraph) -> bytes:
    """Return the graph as JSON."""
    return json.dumps(graph_json(graph), ensure_ascii=False, indent=1).encode() + b"\n"


def render_graphml(graph: EntityGraph) -> bytes:
    """Return the graph as GraphML, which Gephi, yEd and Cytoscape read."""
    import networkx as nx  # noqa: PLC0415 - 140 ms, and only for who exports

    made: nx.Graph[str] = nx.Graph(made_by=MADE_BY)
    for one in graph.nodes:
        fields = _fields(one)
        tiers = fields.pop("tiers")
        words = {name: value for name, value in fields.items() if value is not None}
        words |= {"label": plain(one.title), "title": plain(one.title), "tags": plain(", ".join(one.tags))}
        made.add_node(one.path, **words, **tiers)
    made.add_edges_from((one.first, one.last, {"weight": one.facts}) for one in graph.edges)
    return ("\n".join(nx.generate_graphml(made)) + "\n").encode()


def render_dot(graph: EntityGraph) -> bytes:
    """Return the graph in the language of Graphviz."""
    lines = [f"// {MADE_BY}", "graph memory {"]
    lines += [f"  {_quoted(one.path)} [label={_quoted(one.title)}, facts={one.facts}];" for one in graph.nodes]
    lines += [f"  {_quoted(one.first)} -- {_quoted(one.last)} [weight={one.facts}];" for one in graph.edges]
    return "\n".join([*lines, "}", ""]).encode()


def _fields(node: Node) -> dict[str, Any]:
    days = {
        name: day.isoformat() if day else None for name, day in (("first_on", node.first_on), ("last_on", node.last_on))
    }
    return {**node._asdict(), **days, "facts": node.facts, "hottest": node.hottest}


def _quoted(words: str) -> str:
    escaped = plain(words).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
