"""The graph at every day of the world at once, in columns: whoever shows it moves through its days without asking.

Days are counted from 1970-01-01 in the workspace's zone. At a day stands what holds at its end.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
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
    counted = read_spans(database, asked, at_all_times=True)
    return counted._replace(spans=list(counted.spans))


def replay(counted: Counted, asked: GraphQuery) -> dict[str, Any]:
    """Return {"today", "first", "kinds", "tiers", "tags", "nodes", "spans", "edges", "edge_spans"}.

    `nodes` has the columns `path`, `title`, `kind` (place in `kinds`), `tags` (places in `tags`) and `made` (day on
    which the entity was made); `spans` has `node`, `from`, `to` (the first day on which they hold no longer, -1 for
    none), `tier` (place in `tiers`, as of today) and `facts`; `edges` has `a` and `b` (nodes); `edge_spans` has `edge`,
    `from`, `to` and `facts`. Several rows of spans may be alike but for the number of facts.
    """
    place = {one.path: number for number, one in enumerate(counted.entities)}
    spans, edges, edge_spans = _columns(counted, place)
    moment = asked.moment
    today = day_number(moment.now, moment.zone)
    return {
        "today": today,
        "first": min(spans["from"], default=today),
        "kinds": list(KINDS),
        "tiers": list(TIERS),
        **_nodes(counted, moment.zone),
        "spans": spans,
        "edges": {"a": [place[a] for a, _ in edges], "b": [place[b] for _, b in edges]},
        "edge_spans": edge_spans,
    }


Columns = dict[str, list[int]]


def _columns(counted: Counted, place: Mapping[str, int]) -> tuple[Columns, Iterable[tuple[str, str]], Columns]:
    """Return the spans of the entities, the pairs that are joined, and the spans of those.

    A large store has a row for nearly every fact, and somebody waits: so no function is called for each row.
    """
    tiers: dict[tuple[int, float, int], int] = {}
    edges: dict[tuple[str, str], int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    edge_rows: list[tuple[int, int, int, int]] = []
    for entity, other, begins, last, used_day, confidence, access_count, facts in counted.spans:
        if begins == last or entity not in place:
            continue
        ends = OPEN if last is None else last
        if other is None:
            key = (used_day, confidence, access_count)
            if key not in tiers:
                tiers[key] = counted.tier_of(*key)
            rows.append((place[entity], begins, ends, tiers[key], facts))
        elif (pair := edge_between(entity, other, place)) is not None:
            edge_rows.append((edges.setdefault(pair, len(edges)), begins, ends, facts))
    return _by_column(_SPAN, rows), edges, _by_column(_EDGE_SPAN, edge_rows)


def _by_column(names: Sequence[str], rows: Sequence[tuple[int, ...]]) -> Columns:
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


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
