"""The week of a memory as one file for a browser."""

import datetime as dt
import html
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.clock import day_of
from engram.base.clock import minute_of
from engram.base.counts import counted
from engram.services.pictures.canvas import plain
from engram.services.pictures.decay_picture import draw_decay
from engram.services.pictures.page import page

_RUNS: Final = 20  # that are listed
_NOT_SHOWN: Final = "<p class='muted'>Runs of the heartbeat are the owner&#x27;s to see.</p>"
_WAITING: Final = {
    "observations": "observation",
    "tensions": "tension",
    "quarantined": "quarantined fact",
    "candidates": "candidate",
    "names": "pair of names",
    "proposals": "proposal of a domain",
}


def render_week(week: Mapping[str, Any], zone: dt.tzinfo) -> bytes:
    """Return the page of what `heartbeat.report.week` tells; it fetches nothing and holds no script.

    Its days and minutes are those of that time zone.
    """
    learnt, runs = week["learnt"], week["runs"]
    replaced = sum(one.get("was") is not None for group in learnt["groups"] for one in group["shown"])
    waiting = {name: count for name, count in week["waiting"].items() if name in _WAITING and count}
    lines = waiting_words(week["waiting"])
    figures = (
        ("learnt", learnt["facts"]),
        ("entities", learnt["entities"]),
        *(() if runs is None else (("heartbeats", len(runs)), ("failed", week["outcomes"].get("failed", 0)))),
        ("waiting", sum(waiting.values())),
    )
    boxes = "".join(f"<div><b>{count:,}</b>{name}</div>" for name, count in figures)
    title = f"The week of {plain(week['name'])}"
    body = (
        f"<h1 dir='auto'>{_text(title)}</h1>"
        f"<p class='muted'>{day_of(week['since'], zone)} to {day_of(week['until'], zone)}</p>"
        f"<div class='figures'>{boxes}</div>"
        f"<h2>Learnt</h2>{_learnt(learnt, replaced, zone)}"
        f"<h2>Waiting for a person</h2>{_waiting(lines)}"
        f"<h2>Facts by tier</h2><figure>{draw_decay(week['decay']).decode()}</figure>"
        f"<h2>Heartbeat</h2>{_NOT_SHOWN if runs is None else _alerts(week['alerts']) + _runs(runs, zone)}"
    )
    return page(title, body)


def _learnt(learnt: Mapping[str, Any], replaced: int, zone: dt.tzinfo) -> str:
    if not learnt["facts"]:
        return "<p class='muted'>Nothing was learnt.</p>"
    shown = sum(len(group["shown"]) for group in learnt["groups"])
    more = learnt["facts"] - shown
    words = f"{counted(replaced, 'fact')} of these took the place of another one." if replaced else ""
    rest = f"<p class='muted'>and {more:,} more: engram diff</p>" if more else ""
    groups = "".join(
        f"<h3 dir='auto'>{_text(group['title'])}</h3><ul>{''.join(_fact(one, zone) for one in group['shown'])}</ul>"
        for group in learnt["groups"]
        if group["shown"]
    )
    return f"<p class='muted'>{words}</p>{groups}{rest}"


def _fact(view: Mapping[str, Any], zone: dt.tzinfo) -> str:
    said = view["said"]
    where = said["label"] or said["path"] or said["session"] or ""
    source = " · ".join(filter(None, (said["origin"], where, day_of(view["recorded_at"], zone))))
    was = f" <del>{_text(view['was'])}</del>" if view.get("was") else ""
    return f"<li dir='auto'>{_text(view['text'])}{was}<span class='source'>{_text(source)}</span></li>"


def waiting_words(counts: Mapping[str, int]) -> list[str]:
    """Return in words of what there is how much that waits for a person."""
    return [
        counted(count, _WAITING[name], _plural(name)) for name, count in counts.items() if name in _WAITING and count
    ]


def _waiting(words: list[str]) -> str:
    if not words:
        return "<p class='muted'>Nothing waits.</p>"
    lines = "".join(f"<li>{_text(one)}</li>" for one in words)
    return f"<ul>{lines}</ul><p class='muted'>engram review</p>"


def _plural(name: str) -> str:
    words = _WAITING[name]
    return {"names": "pairs of names", "proposals": "proposals of domains"}.get(name, f"{words}s")


def _alerts(alerts: Iterable[str]) -> str:
    lines = "".join(f"<li class='bad' dir='auto'>{_text(one)}</li>" for one in alerts)
    return f"<ul>{lines}</ul>" if lines else ""


def _runs(runs: list[Mapping[str, Any]], zone: dt.tzinfo) -> str:
    if not runs:
        return "<p class='muted'>No heartbeat that found work ran.</p>"
    rows = "".join(_run(one, zone) for one in runs[:_RUNS])
    more = f"<p class='muted'>and {len(runs) - _RUNS} more: engram heartbeat log</p>" if len(runs) > _RUNS else ""
    head = "<th scope='col'>Began</th><th scope='col'>Outcome</th><th scope='col'>What was done</th>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _run(run: Mapping[str, Any], zone: dt.tzinfo) -> str:
    phases = [one for one in run.get("phases") or () if isinstance(one, Mapping) and one.get("status") != "skipped"]
    done = "; ".join(f"{one.get('phase')}: {one.get('summary')}" for one in phases)
    status = str(run.get("status", "unknown")).replace("_", " ")
    kind = " class='bad'" if run.get("status") == "failed" else ""
    began = minute_of(run["started_at"], zone)  # which the week found it by
    return (
        f"<tr><td><time>{_text(began)}</time></td><td{kind}>{_text(status)}</td><td dir='auto'>{_text(done)}</td></tr>"
    )


def _text(words: str) -> str:
    return html.escape(plain(str(words)))
