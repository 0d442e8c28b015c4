"""When a run is over: when a whole pass over everything has left all as it found it.

What somebody writes while a run goes on may come after the phase that would have read it. So the phases are run again
until one pass changes nothing, and what the workspace looked like then is what the next tick compares with. The report
comes after that; it is the one change that is known to be the run's own.
"""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.base.disk.own_files import read_own
from engram.heartbeat.child.phase_result import FAILED_PHASES
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.phases import MAINTENANCE
from engram.heartbeat.child.phases import SYNTHESIS
from engram.heartbeat.intake.second_look import TO_JUDGE_AGAIN
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.heartbeat.report.run_report import report_place
from engram.heartbeat.report.run_report import write_report
from engram.heartbeat.synthesis.phase import WEEKS_LEFT
from engram.workspace import Workspace

MOST_PASSES = 3  # of one run: where others write all the time, the next tick goes on
COUNTING = frozenset([EXTRACTION.name, SYNTHESIS.name])  # phases whose numbers count what was done, all but the next
_LEFT = ("left_for_later", WEEKS_LEFT, TO_JUDGE_AGAIN)  # what there was no room or time for: the last pass knows
_SEVERITY = ("skipped", "ok", "warning", "failed", "timed_out")


def is_nothing(result: PhaseResult) -> bool:
    """Tell whether a phase did nothing worth a record: maintenance may have looked and found all in order."""
    looked = result.phase == MAINTENANCE.name and result.status == SUCCEEDED
    return (looked or result.status == SKIPPED) and not result.alerts and not result.changed


def merge(first: PhaseResult, again: PhaseResult) -> PhaseResult:
    """Return one result of a phase that ran twice in a run."""
    alerts = [*dict.fromkeys([*first.alerts, *again.alerts])]
    took = round(first.duration_s + again.duration_s, 3)
    merged = first._replace(
        status=max(first.status, again.status, key=_SEVERITY.index),
        alerts=alerts,
        duration_s=took,
        model=_both(first.model, again.model),
    )
    if first.phase in COUNTING:
        merged = merged._replace(stats=_added(first.stats, again.stats))
    if not again.changed and again.status not in FAILED_PHASES:
        return merged
    stats = merged.stats if first.phase in COUNTING else {**first.stats, **again.stats}
    said = again.summary if first.status == SKIPPED else "; then: ".join(dict.fromkeys([first.summary, again.summary]))
    return merged._replace(summary=said, stats=stats, changed=first.changed or again.changed)


def report_and_look(workspace: Workspace, run_id: str, results: Sequence[PhaseResult], look: str | None) -> str | None:
    """Write the report, and return what the workspace looks like then; None when others wrote since `look`."""
    place = report_place(workspace)
    others = workspace_fingerprint(workspace, without=place.file)
    is_quiet = look is not None and look == workspace_fingerprint(workspace)
    before = read_own(place.file) if place.file.exists() else b""
    block = write_report(workspace, run_id, results)
    now = workspace_fingerprint(workspace)
    if not is_quiet or others != workspace_fingerprint(workspace, without=place.file):
        return None
    if block is None:
        return now
    after = read_own(place.file) if place.file.exists() else b""
    added = after[len(before) :].decode("utf-8", "replace").removeprefix(f"# {place.day.isoformat()}")
    return now if after.startswith(before) and added.strip() == block.strip() else None


def _both(first: Mapping[str, Any], again: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return together what a phase's model took twice."""
    if not first or not again:
        return first or again
    return {**first, **{name: first[name] + again[name] for name in first if name != "by"}}


def _added(first: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    total: Counter[str] = Counter(first)
    total.update(again)
    for name in _LEFT:
        del total[name]
    return {**total, **{name: again[name] for name in _LEFT if name in again}}
