"""The heartbeat as a page shows it: what runs now, the runs before it, what each wrote, and what it has cost."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.heartbeat.child.phases import due_phases
from engram.heartbeat.child.run_records import KEPT_RUNS
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.child.run_records import is_running
from engram.heartbeat.domains.phase import has_domains
from engram.heartbeat.report.alerts import AlertFile
from engram.heartbeat.run.health import heartbeat_standing
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.workspace import Workspace

COMMANDS: Final = "hb-"  # begins the ids of the commands that a run asks for
CONSUMERS: Final = ("extraction", "synthesis", "review", "accesses", "capture", "import", "second-look", "note-moves")
MOST_MARKS: Final = 100  # of one consumer
MOST_FACTS: Final = 200  # that one run wrote and that are shown
_TOKENS = ("calls", "input_tokens", "output_tokens", "cost_usd")


def heartbeat_overview(workspace: Workspace, most: int = 50) -> dict[str, Any]:
    """Return how the heartbeat stands, its latest runs, its alerts, and what models have taken, by day and in all."""
    records = RunRecords(workspace.paths.runs).latest(KEPT_RUNS)
    alerts = AlertFile(workspace.paths.alerts).current()
    zone = workspace.settings.zone
    return {
        "standing": {name: told for name, told in heartbeat_standing(workspace).items() if name != "last"},
        "now": running_now(workspace, records[0] if records else None),
        "runs": [run_view(record) for record in records[:most]],
        "more": max(0, len(records) - most),
        "alerts": [one.model_dump(mode="json", exclude={"gone_at", "is_unheard"}) for one in alerts],
        "cost": _costs(records, zone),
    }


def running_now(workspace: Workspace, latest: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the run that goes on, with the phases that it has done and those that it comes to yet; None: none does."""
    if latest is None or not is_running(latest):
        return None
    done = [str(one["phase"]) for one in latest.get("phases", [])]
    due = due_phases(workspace.settings.heartbeat.phases, (), has_domains=has_domains(workspace.paths))
    ahead = [phase.name for phase in due if phase.name not in done]
    return {**run_view(latest), "phase": ahead[0] if ahead else None, "ahead": ahead[1:]}


def run_view(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run with how long it took, without what only the next run needs of its record."""
    began, ended = record.get("started_at"), record.get("finished_at")
    took = (from_iso(ended) - from_iso(began)).total_seconds() if began and ended else None
    is_dead = record.get("status") == "running" and not is_running(record)
    shown = {name: told for name, told in record.items() if name not in {"pid", "born", "fence"}}
    return {**shown, "took_s": took, **({"status": "failed"} if is_dead else {})}


def run_page(workspace: Workspace, run_id: str, moment: Moment) -> dict[str, Any]:
    """Return one run, by its id or number, with the facts that it wrote and what became of each; the newest first.

    Raises NotFoundError.
    """
    record = RunRecords(workspace.paths.runs).get(run_id)
    with workspace.reading() as database:
        return {**run_view(record), **_written(database, record, moment)}


def read_marks(database: FactDatabase) -> list[dict[str, Any]]:
    """Return how far each reader has come: its marks by key, at most `MOST_MARKS` of each, and how many there are."""
    found = []
    for consumer in CONSUMERS:
        marks = database.watermarks(consumer)
        shown = [{"key": key, "value": value} for key, value in sorted(marks.items(), reverse=True)[:MOST_MARKS]]
        if marks:
            found.append({"consumer": consumer, "count": len(marks), "marks": shown})
    return found


def _written(database: FactDatabase, record: Mapping[str, Any], moment: Moment) -> dict[str, Any]:
    """Return the facts that a run wrote, confirmed or was refused, as its commands in the journal tell."""
    began, ended = record.get("started_at"), record.get("finished_at")
    if not began:
        return {"facts": [], "outcomes": {}, "more_facts": 0}
    until = from_iso(ended) if ended else moment.now
    decided = database.decided_between(from_iso(began), until, COMMANDS)
    writes = [one for one in decided if one.kind == "write"]
    outcome_of = {one.id: one.status for one in writes if one.id}
    ids = list(outcome_of)
    shown = tuple(ids[-MOST_FACTS:])
    facts = database.list_facts(FactFilter(ids=shown, status="all")) if shown else []
    views = {view["id"]: view for view in fact_views(database, facts, moment)}
    return {
        "facts": [{**views[one], "outcome": outcome_of[one]} for one in reversed(shown) if one in views],
        "outcomes": dict(Counter(one.status for one in writes)),
        "more_facts": len(ids) - len(shown),
    }


def _costs(records: Iterable[Mapping[str, Any]], zone: dt.tzinfo) -> dict[str, Any]:
    """Return what models took in the runs that are kept: by day, the latest first, and by phase."""
    days: dict[str, dict[str, float]] = {}
    phases: dict[str, dict[str, float]] = {}
    for record in records:
        for phase in record.get("phases", []):
            if not (taken := phase.get("model")) or not record.get("started_at"):
                continue
            day = local_day(from_iso(str(record["started_at"])), zone).isoformat()
            for total in (days.setdefault(day, {}), phases.setdefault(str(phase["phase"]), {})):
                for name in _TOKENS:
                    total[name] = total.get(name, 0) + taken.get(name, 0)
    return {
        "days": [{"day": day, **days[day]} for day in sorted(days, reverse=True)],
        "phases": [{"phase": name, **total} for name, total in phases.items()],
    }
