"""The graph of entities as one file for a browser: the drawing, a field that finds entities in it, and a table."""

import html
from importlib import resources

from engram.base.counts import counted
from engram.services.graph.entity_graph import Edge
from engram.services.graph.entity_graph import Node
from engram.services.pictures.canvas import plain
from engram.services.pictures.graph_layout import Picked
from engram.services.pictures.graph_picture import Caption
from engram.services.pictures.graph_picture import draw_graph
from engram.services.pictures.page import page

_SHOWN = 5  # neighbours in a line of the table


def render_graph_page(picked: Picked, caption: Caption) -> bytes:
    """Return the page; it fetches nothing, and needs no script to be read."""
    nodes, edges = picked.graph
    beside = _neighbours(edges, {one.path: one.title for one in nodes})
    ordered = sorted(nodes, key=lambda one: (-len(beside.get(one.path, ())), -one.facts, one.path))
    head = "".join(f"<th scope='col'>{word}</th>" for word in ("Entity", "Kind", "Facts", "Hottest", "Joined with"))
    table = (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_row(one, beside) for one in ordered)}</tbody></table>"
    )
    script = (resources.files("engram.services.pictures") / "graph_page.js").read_text(encoding="utf-8")
    body = (
        "<p class='find'><label for='find'>Find</label> <input id='find' type='search' autocomplete='off'> "
        "<span id='found' role='status'></span></p>"
        f"<figure>{draw_graph(picked, caption).decode()}</figure>"
        f"<details><summary>As a table ({counted(len(nodes), 'entity', 'entities')})</summary>{table}</details>"
    )
    return page(caption.title, body, script)


def _neighbours(edges: list[Edge], titles: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for edge in edges:
        for path, other in ((edge.first, edge.last), (edge.last, edge.first)):
            found.setdefault(path, []).append((-edge.facts, titles[other]))
    return {path: [title for _, title in sorted(beside)] for path, beside in found.items()}


def _row(node: Node, beside: dict[str, list[str]]) -> str:
    others = beside.get(node.path, [])
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    cells = (node.kind, str(node.facts), node.hottest or "", ", ".join(others[:_SHOWN]) + more)
    named = f"<th scope='row' dir='auto'>{html.escape(plain(node.title))}</th>"
    return f"<tr>{named}{''.join(f'<td dir=auto>{html.escape(plain(cell))}</td>' for cell in cells)}</tr>"
