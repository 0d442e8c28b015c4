"""Runs of the heartbeat, and how it stands, as text."""

from collections.abc import Mapping
from typing import Any

from engram.base.counts import counted
from engram.base.counts import listed_words
from engram.cli.invocation.local_time import shown_minute
from engram.cli.invocation.options import table


def render_outcome(run: Mapping[str, Any]) -> str:
    """Return how a run ended, in words."""
    return str(run.get("status", "unknown")).replace("_", " ")


def render_done(run: Mapping[str, Any]) -> str:
    """Return what the phases of a run said that had something to do, and its alerts."""
    done = [phase["summary"] for phase in run.get("phases", []) if phase["status"] != "skipped"]
    return "; ".join([*done, *(f"alert: {alert}" for alert in run.get("alerts", []))])


def render_plan(plan: Mapping[str, Any]) -> str:
    """Return what a run would read."""
    unread = f"{counted(plan['note_entries'], 'note entry', 'note entries')} and {counted(plan['turns'], 'turn')}"
    lines = [f"nothing is changed; it would run {listed_words(plan['phases'])}", f"  to read: {unread}"]
    return "\n".join([*lines, *(f"  alert: {alert}" for alert in plan["alerts"])])


def render_run(run: dict[str, Any], *, with_id: bool = True) -> str:
    """Return a run for people: one line for each phase, and what is news."""
    named = f" {run['run_id']}" if with_id and run.get("run_id") else ""
    lines = [f"heartbeat{named} {render_outcome(run)}"]
    lines += [f"  {notice}" for notice in run.get("notices", [])]
    lines += [f"  {phase['phase']}: {phase['status']}, {phase['summary']}" for phase in run.get("phases", [])]
    lines += [
        f"  {phase['phase']}: {render_model(phase['model'])}" for phase in run.get("phases", []) if "model" in phase
    ]
    return "\n".join([*lines, *(f"  alert: {alert}" for alert in run.get("alerts", []))])


def render_model(taken: Mapping[str, Any]) -> str:
    """Return what a model took: `by`, `calls`, `input_tokens`, `output_tokens` and `cost_usd`."""
    tokens = taken["input_tokens"] + taken["output_tokens"]
    cost = f", ${taken['cost_usd']:.4f}" if taken["cost_usd"] else ""
    times = "once" if taken["calls"] == 1 else f"{taken['calls']} times"
    return f"{taken['by']} asked {times}, {tokens:,} tokens{cost}"


def render_standing(standing: dict[str, Any]) -> str:
    """Return the standing for people; what is in order is not mentioned."""
    last, held, schedule = standing["last"], standing["held"], standing["schedule"]
    if last is None and standing["last_tick"] is None and held is None and schedule is None:
        return "no heartbeat has run here yet"
    rows = [("last tick", _moment(standing["last_tick"]))]
    if held:
        rows.append(("running", f"pid {held['pid']} since {_moment(held['since'])}"))
    installed = f"every {schedule['every']} with {schedule['with']}" if schedule else "no; engram heartbeat install"
    rows.append(("installed", installed))
    if standing["next_due"]:
        rows.append(("next due", _moment(standing["next_due"])))
    if standing["overdue"]:
        rows.append(("overdue", standing["why"]))
    rows += [(f"{one['phase']} failed", one["why"]) for one in standing["failed"]]
    if agent := standing["agent"]:
        rows.append(("model", f"{render_model(agent)} today{_bounds(agent)}"))
    if standing["alerts"]:
        rows.append(("alerts", f"{standing['alerts']} stand: engram heartbeat alerts"))
    shown = f"\nlatest run with work:\n{render_run({**last, 'alerts': []}, with_id=False)}" if last else ""
    return f"{table(rows)}{shown}"


def _bounds(agent: Mapping[str, Any]) -> str:
    if agent["why_not"]:
        return f"; {agent['why_not']}"
    tokens = [f"{agent['daily_tokens']:,} tokens"] if agent["daily_tokens"] else []
    cost = [f"${agent['daily_cost']:.2f}"] if agent["daily_cost"] else []
    return f" of at most {' and '.join([*tokens, *cost])}" if tokens or cost else ""


def _moment(at: str | None) -> str:
    return shown_minute(at) if at else "never"
