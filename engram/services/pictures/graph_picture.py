"""The graph of entities as a drawing: colour says the kind, size how much is known, width how much joins two."""

import math
from collections.abc import Callable
from typing import Final
from typing import NamedTuple

from engram.base.counts import counted
from engram.base.text import KINDS
from engram.services.graph.entity_graph import Node
from engram.services.pictures.canvas import Drawing
from engram.services.pictures.canvas import fitted
from engram.services.pictures.canvas import text_width
from engram.services.pictures.graph_layout import Picked
from engram.services.pictures.graph_layout import Place
from engram.services.pictures.graph_layout import joined_facts
from engram.services.pictures.graph_layout import lay_out

_WIDTH: Final = 1200.0
_HEIGHT: Final = 820.0  # of the joined ones
_TOP: Final = 84.0
_EDGE: Final = 32.0
_LEAST, _MOST = 5.0, 20.0  # radius of an entity in a drawing with room
_ROOMY: Final = 60  # entities up to which there is room
_LABEL: Final = 11.0  # size of its letters
_LABEL_WIDTH: Final = 170.0
_COLUMNS: Final = 5  # of entities that nothing joins
_LOOSE: Final = 40  # of them, the most that are named
_ROW: Final = 22.0

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Caption(NamedTuple):
    """What is said above a graph."""

    title: str
    when: str  # of which day it is, in words


def draw_graph(picked: Picked, caption: Caption) -> bytes:
    """Return the drawing of a graph."""
    nodes, edges = picked.graph
    joined = {path for edge in edges for path in (edge.first, edge.last)}
    loose = sorted((one for one in nodes if one.path not in joined), key=lambda one: (-one.facts, one.path))
    height = _TOP + (_HEIGHT if joined else 0) + _loose_height(loose)
    words = f"{counted(len(nodes), 'entity', 'entities')}, {counted(len(edges), 'relation')}, {caption.when}"
    drawing = Drawing(_WIDTH, height, title=caption.title, description=f"{caption.title}: {words}")
    _head(drawing, caption, words, picked.left_out)
    places = {path: (x + _EDGE, y + _TOP) for path, (x, y) in lay_out(edges, _WIDTH - 2 * _EDGE, _HEIGHT).items()}
    for edge in edges:
        drawing.line(places[edge.first], places[edge.last], "edge", width=min(5.0, 0.6 + math.log2(1 + edge.facts)))
    shown = sorted((one for one in nodes if one.path in joined), key=_by_weight(joined_facts(edges)))
    _joined(drawing, shown, places)
    if loose:
        _loose(drawing, loose, _TOP + (_HEIGHT if joined else 0))
    return drawing.render()


def _head(drawing: Drawing, caption: Caption, words: str, left_out: int) -> None:
    more = f"; {counted(left_out, 'entity', 'entities')} with fewer relations left out" if left_out else ""
    drawing.text((_EDGE, 40), fitted(caption.title, _WIDTH / 2, 22), "title")
    drawing.text((_EDGE, 62), f"{words}{more}", "muted")
    x = _WIDTH - _EDGE
    for kind in reversed(KINDS):
        drawing.text((x, 40), kind, "muted", anchor="end")
        x -= text_width(kind, 13) + 14
        drawing.circle((x, 36), 6, kind)
        x -= 22


def _by_weight(weight: dict[str, int]) -> Callable[[Node], tuple[int, int, str]]:
    return lambda one: (-weight[one.path], -one.facts, one.path)


def _joined(drawing: Drawing, ordered: list[Node], places: dict[str, Place]) -> None:
    """Draw the entities, the most joined ones in front, and the names of those first for which there is room."""
    scale = min(1.0, math.sqrt(_ROOMY / max(1, len(ordered))))
    taken: list[Box] = []
    for one in reversed(ordered):
        drawing.circle(places[one.path], _radius(one) * scale, one.kind, says=_says(one))
    for one in ordered:
        x, y = places[one.path]
        name = fitted(one.title, _LABEL_WIDTH, _LABEL)
        half, under = text_width(name, _LABEL) / 2 + 2, y + _radius(one) * scale + _LABEL + 2
        x = min(max(x, half + 4), _WIDTH - half - 4)
        box = (x - half, under - _LABEL, x + half, under + 3)
        if not any(_overlap(box, other) for other in taken):
            taken.append(box)
            drawing.text((x, under), name, "label", anchor="middle")


def _loose(drawing: Drawing, loose: list[Node], top: float) -> None:
    drawing.line((_EDGE, top), (_WIDTH - _EDGE, top), "rule")
    drawing.text((_EDGE, top + 28), "Joined to nothing yet", "heading")
    wide = (_WIDTH - 2 * _EDGE) / _COLUMNS
    for number, one in enumerate(loose[:_LOOSE]):
        x, y = _EDGE + wide * (number % _COLUMNS), top + 54 + _ROW * (number // _COLUMNS)
        drawing.circle((x + 6, y - 4), 4.5, one.kind, says=_says(one))
        drawing.text((x + 18, y), fitted(one.title, wide - 30, 13), "muted")
    if len(loose) > _LOOSE:
        drawing.text((_EDGE, top + _loose_height(loose) - 20), f"and {len(loose) - _LOOSE} more", "muted")


def _loose_height(loose: list[Node]) -> float:
    rows = math.ceil(min(len(loose), _LOOSE) / _COLUMNS)
    return 70 + _ROW * (rows + (len(loose) > _LOOSE)) if loose else 0


def _radius(node: Node) -> float:
    return min(_MOST, _LEAST + 1.6 * math.sqrt(node.facts))


def _says(node: Node) -> str:
    tags = f" · {', '.join(node.tags[:6])}" if node.tags else ""
    hottest = f", {node.hottest}" if node.hottest else ""
    return f"{node.title} ({node.path}): {counted(node.facts, 'fact')}{hottest}{tags}"


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
