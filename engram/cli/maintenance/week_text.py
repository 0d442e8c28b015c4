"""The last days of a memory, as text."""

import datetime as dt
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from engram.base.clock import day_of
from engram.base.counts import counted
from engram.base.counts import listed_words
from engram.language.screen.fence import visible
from engram.services.pictures.week_page import waiting_words


def render_week_text(week: Mapping[str, Any], zone: dt.tzinfo) -> str:
    """Return what `heartbeat.report.week` tells, for people; its days are those of that time zone."""
    return "\n".join(_lines(week, zone))


def _lines(week: Mapping[str, Any], zone: dt.tzinfo) -> Iterator[str]:
    learnt, runs = week["learnt"], week["runs"]
    yield f"{visible(week['name'])}, {day_of(week['since'], zone)} to {day_of(week['until'], zone)}"
    entities = counted(learnt["entities"], "entity", "entities")
    yield f"learnt: {counted(learnt['facts'], 'fact')} of {entities}" if learnt["facts"] else "nothing was learnt"
    for group in learnt["groups"]:
        yield from _group(group)
    waiting = waiting_words(week["waiting"])
    yield f"waiting: {listed_words(waiting)}; engram review" if waiting else "nothing waits"
    if runs is not None:
        failed = week["outcomes"].get("failed", 0)
        yield f"heartbeats with work: {len(runs)}" + (f", {failed} failed; engram heartbeat log" if failed else "")
        yield from (f"  alert: {visible(one)}" for one in week["alerts"])


def _group(group: Mapping[str, Any]) -> Iterator[str]:
    if not group["shown"]:
        return
    yield visible(group["title"])
    for view in group["shown"]:
        was = f" (was: {visible(view['was'])})" if view["was"] else ""
        yield f"  {view['id']}  {visible(view['text'])}{was}"
    if (more := group["facts"] - len(group["shown"])) > 0:
        yield f"  and {more:,} more: engram facts {group['entity']}"
