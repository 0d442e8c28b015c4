"""The graph at every day of the world at once, in columns: whoever shows it moves through its days without asking.

Days are counted from 1970-01-01 in the workspace's zone. At a day stands what holds at its end.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any
from typing import Final

from engram.base.day_numbers import day_number
from engram.base.text import KINDS
from engram.ports.database import FactDatabase
from engram.rules.life.decay import TIERS
from engram.services.graph.entity_graph import Counted
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.entity_graph import edge_between
from engram.services.graph.entity_graph import read_spans

OPEN: Final = -1  # stands for the last day of what goes on

_SPAN = ("node", "from", "to", "tier", "facts")
_EDGE_SPAN = ("edge", "from", "to", "facts")


def read_replay(database: FactDatabase, asked: GraphQuery) -> Counted:
    """Return what a replay is made of; the database is needed no longer."""
    return read_spans(database, asked, at_all_times=True)


def replay(counted: Counted, asked: GraphQuery) -> dict[str, Any]:
    """Return {"today", "first", "kinds", "tiers", "tags", "nodes", "spans", "edges", "edge_spans"}.

    `nodes` has the columns `path`, `title`, `kind` (place in `kinds`), `tags` (places in `tags`) and `made` (day on
    which the entity was made); `spans` has `node`, `from`, `to` (the first day on which they hold no longer, -1 for
    none), `tier` (place in `tiers`, as of today) and `facts`; `edges` has `a` and `b` (nodes); `edge_spans` has `edge`,
    `from`, `to` and `facts`. Several rows of spans may be alike but for the number of facts.
    """
    place = {one.path: number for number, one in enumerate(counted.entities)}
    edges: dict[tuple[str, str], int] = {}
    spans, edge_spans = _Columns(_SPAN), _Columns(_EDGE_SPAN)
    for span in counted.spans:
        begins, ends = span.begins_day, OPEN if span.ends_day is None else span.ends_day
        if begins == ends or span.entity not in place:
            continue
        if span.other is None:
            spans.add(place[span.entity], begins, ends, counted.tier_of(span), span.facts)
        elif (pair := edge_between(span, place)) is not None:
            edge_spans.add(edges.setdefault(pair, len(edges)), begins, ends, span.facts)
    moment = asked.moment
    today = day_number(moment.now, moment.zone)
    return {
        "today": today,
        "first": min(spans.values["from"], default=today),
        "kinds": list(KINDS),
        "tiers": list(TIERS),
        **_nodes(counted, moment.zone),
        "spans": spans.values,
        "edges": {"a": [place[a] for a, _ in edges], "b": [place[b] for _, b in edges]},
        "edge_spans": edge_spans.values,
    }


class _Columns:
    """Rows of numbers, kept by column."""

    def __init__(self, names: Iterable[str]) -> None:
        self.values: dict[str, list[int]] = {name: [] for name in names}
        self._lists = list(self.values.values())

    def add(self, *row: int) -> None:
        for column, value in zip(self._lists, row, strict=True):
            column.append(value)


def _nodes(counted: Counted, zone: dt.tzinfo) -> dict[str, Any]:
    tags = sorted({tag for found in counted.tags.values() for tag in found})
    tag_place = {tag: number for number, tag in enumerate(tags)}
    nodes = {
        "path": [one.path for one in counted.entities],
        "title": [one.title for one in counted.entities],
        "kind": [KINDS.index(one.path.partition("/")[0]) for one in counted.entities],
        "tags": [sorted(tag_place[tag] for tag in counted.tags.get(one.path, ())) for one in counted.entities],
        "made": [day_number(one.created_at, zone) for one in counted.entities],
    }
    return {"tags": tags, "nodes": nodes}
