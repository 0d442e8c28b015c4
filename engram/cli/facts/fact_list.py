"""A list of facts as people and programs read it without --json: a line a fact, of which few are held at once."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from engram.base.clock import day_of
from engram.cli.facts.fact_text import overdue_words
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.long_answer import emit_rows
from engram.cli.invocation.options import table
from engram.operations.answers.kept_promises import OVER
from engram.operations.answers.listing import ORDER
from engram.services.recall.presentation.order_marks import order_marks

_NONE = "no facts"
_STATE = ("state", False)
_COLUMNS = [("id", False), ("since", False), ("category", False), ("tier", False), _STATE, ("fact", True)]
_Row = tuple[str, str, str, str, str, str]  # a cell for each column


def show_facts(asked: Invocation, views: Iterable[dict[str, Any]], zone: dt.tzinfo) -> None:
    """Print facts (`operations.answers.listing`) for people: as a table on a terminal, else as lines of columns."""
    rows = _rows(views, zone)
    if not asked.for_screen:
        emit_rows(asked, map(_plain, rows), _NONE)
        return
    shown: list[_Row] = list(rows)
    is_told = any(state != "active" for *_, state, _text in shown)  # else it says nothing
    columns = [one for one in _COLUMNS if is_told or one != _STATE]
    cells = [(*row[:4], *row[4 if is_told else 5 :]) for row in shown]
    asked.emit_table(None, lambda: table(map(_plain, shown)) or _NONE, columns, cells)


def state_of(view: dict[str, Any]) -> str:
    """Return in what state a fact is, in words."""
    if OVER in view:
        return f"over, says {view[OVER]}"
    if view["trust"] == "quarantined":
        return "quarantined"
    return standing_of(view)


def standing_of(view: dict[str, Any]) -> str:
    """Return how a fact stands, whatever others say of it."""
    return overdue_words(view) or str(view["status"])


def _rows(views: Iterable[dict[str, Any]], zone: dt.tzinfo) -> Iterator[_Row]:
    for view in views:
        since = day_of(view["valid_from"], zone)
        yield view["id"], since, view["category"], view["tier"], state_of(view), _said(view)


def _said(view: dict[str, Any]) -> str:
    """Return what a fact says; of an order, in which case, until when and by whom."""
    marks = order_marks(view.get(ORDER, {}))
    return f"{view['text']}  ({'; '.join(marks)})" if marks else str(view["text"])


def _plain(row: _Row) -> tuple[str, ...]:
    fact_id, _since, *others = row
    return fact_id, *others
