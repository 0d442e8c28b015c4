"""What was learnt since the reader looked last, what waits for them, and what the heartbeat did last."""

import datetime as dt
from typing import Any
from typing import Final

from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.child.run_records import is_running
from engram.operations.pages.news import news_since
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.stamps import stamped

_FIRST_LOOK: Final = dt.timedelta(days=7)  # that count as new for who never looked before
_MOST_ALERTS: Final = 5


def today(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `news_since` does, and {"now", "heartbeat"}; `since` is when the reader looked last."""
    now = page.workspace.now()
    since = asked.moment("since") or now - _FIRST_LOOK
    news = news_since(page.workspace, page.caller, since)
    groups = [{**group, "shown": [stamped(view) for view in group["shown"]]} for group in news["learnt"]["groups"]]
    return {
        **news,
        "learnt": {**news["learnt"], "groups": groups},
        "now": now.isoformat(),
        "heartbeat": _heartbeat(page),
    }


def _heartbeat(page: Page) -> dict[str, Any] | None:
    """Return the latest run in short; None when there was none, or to a reader, whom its counts tell of others."""
    if page.caller is not None:
        return None
    latest = RunRecords(page.workspace.paths.runs).latest(1)
    if not latest:
        return None
    run = latest[0]
    kept = {name: run.get(name) for name in ("run_id", "status", "started_at", "finished_at")}
    alerts = [str(one) for one in run.get("alerts") or ()]
    phases = [
        {name: phase.get(name) for name in ("phase", "status", "summary")}
        for phase in run.get("phases") or ()
        if isinstance(phase, dict)
    ]
    return {
        **kept,
        "running": is_running(run),
        "phases": phases,
        "alerts": alerts[:_MOST_ALERTS],
        "more_alerts": max(0, len(alerts) - _MOST_ALERTS),
    }
