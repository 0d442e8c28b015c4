"""What the last days brought: the runs of the heartbeat, what was learnt and replaced, what waits, and the tiers."""

import datetime as dt
from collections import Counter
from typing import Any
from typing import Final

from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.heartbeat.child.run_records import KEPT_RUNS
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.report.alerts import AlertFile
from engram.operations.pages.news import news_since
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import course_report
from engram.services.facts.tier_course import read_wear
from engram.services.visibility import Caller
from engram.workspace import Workspace

DAYS: Final = 7
_AHEAD: Final = Horizon(90)


def week_report(workspace: Workspace, caller: Caller | None = None) -> dict[str, Any]:
    """Return {"name", "since", "until", "runs", "outcomes", "alerts", "learnt", "waiting", "decay"} as one may see it.

    `runs` are the records of runs that began in the time, the newest first, `outcomes` counts them by status; `learnt`
    is what `learnt_since` returns, `decay` what `course_report` does. Runs and alerts tell of the whole store: they are
    None for a caller that is not its owner.
    """
    now = workspace.now()
    since = now - dt.timedelta(days=DAYS)
    settings = workspace.settings
    moment = Moment(now, settings.decay, settings.zone, caller)
    news = news_since(workspace, caller, since)
    with workspace.reading() as database:
        worn = read_wear(database, moment)
    latest = RunRecords(workspace.paths.runs).latest(KEPT_RUNS) if caller is None else []
    runs = [one for one in latest if _began(one) >= since]
    return {
        "name": workspace.paths.root.name,
        "since": to_iso(since),
        "until": to_iso(now),
        "runs": runs if caller is None else None,
        "outcomes": dict(Counter(str(one.get("status", "unknown")) for one in runs)),
        "alerts": [one.text for one in AlertFile(workspace.paths.alerts).current()] if caller is None else None,
        "learnt": news["learnt"],
        "waiting": news["waiting"]["counts"],
        "decay": course_report(worn, moment, _AHEAD),
    }


def _began(run: dict[str, Any]) -> dt.datetime:
    try:
        return from_iso(str(run.get("started_at")))
    except ValueError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
