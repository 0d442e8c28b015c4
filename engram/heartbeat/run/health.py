"""How the heartbeat of a workspace stands: when it last ran, what failed, what is overdue."""

import datetime as dt
from typing import Any

from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.heartbeat.child.budget import spent_today
from engram.heartbeat.child.budget import why_spent
from engram.heartbeat.child.phase_result import failures_of
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.child.run_records import is_running
from engram.heartbeat.report.alerts import AlertFile
from engram.heartbeat.run.runner import TICKED_AT
from engram.heartbeat.run.runner import heartbeat_lease
from engram.heartbeat.schedule.cron_text import DEFAULT_EVERY_S
from engram.heartbeat.schedule.cron_text import format_interval
from engram.heartbeat.schedule.cron_text import punctuality
from engram.heartbeat.schedule.installer import read_schedule
from engram.workspace import Workspace

_HELD = ("owner", "pid", "since", "fence")


def heartbeat_standing(workspace: Workspace) -> dict[str, Any]:
    """Return what `heartbeat status` tells; opens no database and takes no lock.

    Keys: `running`, `held` (owner, pid, since and number of a run that goes on, or None), `last` (the latest record),
    `last_tick` (also of a tick that found nothing to do), `schedule`, `overdue` and why, `next_due`, `failed` (phases
    of the last run with their reasons), `alerts` (that stand), `needs_work`, `agent` (what `heartbeat.agent` names and
    has taken today, with what it may take; None where it names nothing).
    """
    latest = RunRecords(workspace.paths.runs).latest(1)
    last = latest[0] if latest else None
    lease = heartbeat_lease(workspace)
    holder = lease.holder()
    tick = lease.words().get(TICKED_AT) or (last and (last.get("finished_at") or last.get("started_at")))
    schedule = read_schedule(workspace)
    now = workspace.now()
    every_s = schedule.every_s if schedule else DEFAULT_EVERY_S
    when = punctuality(
        (now - from_iso(tick)).total_seconds() if tick else None,
        (now - schedule.installed_at).total_seconds() if schedule else None,
        every_s,
    )
    failed = failures_of(last)
    return {
        "running": holder is not None or is_running(last),
        "held": {name: holder.get(name) for name in _HELD} if holder else None,
        "last": last,
        "last_tick": tick,
        "schedule": {"every": format_interval(every_s), "with": schedule.by} if schedule else None,
        "overdue": when.is_overdue,
        "why": when.why,
        "next_due": to_iso(now + _seconds(when.due_in_s)) if when.due_in_s is not None else None,
        "failed": failed,
        "alerts": len(AlertFile(workspace.paths.alerts).current()),
        "needs_work": when.is_overdue or bool(failed),
        "agent": _agent(workspace),
    }


def why_it_needs_work(standing: dict[str, Any]) -> str:
    """Return in one sentence why a person or a supervisor should look; empty when none needs to."""
    reasons = [standing["why"]] if standing["overdue"] else []
    reasons += [f"{one['phase']} failed: {one['why']}" for one in standing["failed"]]
    return "; ".join(reasons)


def _agent(workspace: Workspace) -> dict[str, Any] | None:
    settings = workspace.settings.heartbeat
    if not settings.agent:
        return None
    spent = spent_today(workspace)
    return {
        "by": settings.agent,
        "calls": spent.calls,
        **spent.usage._asdict(),
        "daily_tokens": settings.agent_daily_tokens,
        "daily_cost": settings.agent_daily_cost,
        "why_not": why_spent(spent, settings),
    }


def _seconds(seconds: float) -> dt.timedelta:
    return dt.timedelta(seconds=max(0.0, seconds))
