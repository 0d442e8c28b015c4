"""One run of the heartbeat: the phases one after the other, each in its own child, and what becomes of their answers.

Only the runner writes. A phase that fails, hangs, lies or prints garbage is a failed phase: nothing of its answer is
applied, its entries stay unread, and the other phases run.
"""

import os
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.ids import new_id
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.heartbeat.collecting import collect_unread
from engram.heartbeat.domain_scanning import has_domains
from engram.heartbeat.domain_scanning import run_domain_scan
from engram.heartbeat.extracting import run_extraction
from engram.heartbeat.maintaining import run_maintenance
from engram.heartbeat.phases import DOMAIN_SCAN
from engram.heartbeat.phases import EXTRACTION
from engram.heartbeat.phases import MAINTENANCE
from engram.heartbeat.phases import Phase
from engram.heartbeat.phases import chosen_phases
from engram.heartbeat.reporting import write_report
from engram.heartbeat.results import FAILED_PHASES
from engram.heartbeat.results import PhaseResult
from engram.heartbeat.results import PhaseTask
from engram.heartbeat.results import failed
from engram.heartbeat.runs import FAILED
from engram.heartbeat.runs import OK
from engram.heartbeat.runs import RUNNING
from engram.heartbeat.runs import SKIPPED
from engram.heartbeat.runs import WITH_WARNINGS
from engram.heartbeat.runs import RunRecords
from engram.workspace import Workspace

_RUNNERS: Mapping[str, Callable[[PhaseTask], PhaseResult]] = {
    EXTRACTION.name: run_extraction,
    DOMAIN_SCAN.name: run_domain_scan,
    MAINTENANCE.name: run_maintenance,
}


class RunOptions(NamedTuple):
    """What the caller of a run may choose."""

    phases: tuple[str, ...] = ()  # names; empty: all
    force: bool = False  # read everything again, also what was read before
    agent_command: tuple[str, ...] = ()  # program and arguments; empty: what the settings say
    timeout_s: float | None = None  # of one phase; None: what the settings say


class RunResult(NamedTuple):
    """What a run did."""

    status: str  # ok, ok_with_warnings, skipped, failed
    run_id: str | None  # None when it was skipped
    phases: list[PhaseResult]
    alerts: list[str]  # of the run and of all its phases

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {**self._asdict(), "phases": [phase.as_json() for phase in self.phases]}


def run_heartbeat(workspace: Workspace, options: RunOptions | None = None) -> RunResult:
    """Run the heartbeat once and return what it did; another run that holds the lock makes this one skipped.

    Raises BadValueError for a phase that is not known. Failures of phases and of the store are in the result.
    """
    wanted = options or RunOptions()
    phases = chosen_phases(wanted.phases)
    try:
        with workspace.lock("heartbeat", "heartbeat").hold(wait_s=0):
            return _run(workspace, phases, wanted)
    except StoreBusyError as busy:
        if busy.details.get("lock") != "heartbeat.lock":
            raise
        held = f"skipped: held by pid {busy.details.get('pid')} since {busy.details.get('since')}"
        return RunResult(SKIPPED, None, [], [held])


def plan_heartbeat(workspace: Workspace, options: RunOptions) -> dict[str, Any]:
    """Return what a run would read; changes nothing, except that commands acknowledged before are applied."""
    phases = chosen_phases(options.phases)
    unread = collect_unread(workspace, force=options.force)
    return {
        "phases": [phase.name for phase in phases],
        "note_entries": len(unread.notes),
        "turns": len(unread.turns),
        "alerts": unread.alerts,
        "dry_run": True,
    }


def _run(workspace: Workspace, phases: tuple[Phase, ...], options: RunOptions) -> RunResult:
    runs = RunRecords(workspace.paths.runs)
    run_id = new_id()
    started = {"run_id": run_id, "pid": os.getpid(), "started_at": to_iso(workspace.now()), "phases": [], "alerts": []}
    alerts = [f"run {dead} had died; it is marked failed" for dead in runs.mark_dead(workspace.now())]
    runs.save({**started, "status": RUNNING})
    result = _guarded(workspace, run_id, phases, options, alerts)
    runs.save({**started, **result.as_json(), "finished_at": to_iso(workspace.now())})
    return result


def _guarded(
    workspace: Workspace, run_id: str, phases: tuple[Phase, ...], options: RunOptions, alerts: list[str]
) -> RunResult:
    try:
        with workspace.writing("heartbeat"):
            pass  # entering drains the spool
    except StoreBusyError as busy:
        alerts.append(busy.message)
    except EngramError as problem:
        return RunResult(FAILED, run_id, [], [*alerts, f"{problem.message} ({problem.hint})"])
    due = [phase for phase in phases if options.phases or phase != DOMAIN_SCAN or has_domains(workspace.paths)]
    results = [_run_phase(workspace, run_id, phase, options) for phase in due]
    if workspace.settings.heartbeat.report:
        write_report(workspace, run_id, results)
    alerts += [alert for result in results for alert in result.alerts]
    status = WITH_WARNINGS if alerts or any(result.status in FAILED_PHASES for result in results) else OK
    return RunResult(status, run_id, results, alerts)


def _run_phase(workspace: Workspace, run_id: str, phase: Phase, options: RunOptions) -> PhaseResult:
    settings = workspace.settings.heartbeat
    agent = (options.agent_command or settings.agent_command) if phase.has_agent else ()
    task = PhaseTask(workspace, run_id, phase, agent, options.timeout_s or settings.timeout_s, options.force)
    began = time.perf_counter()
    try:
        result = _RUNNERS[phase.name](task)
    except EngramError as problem:
        result = failed(phase, f"{problem.message} ({problem.hint})")
    return result._replace(duration_s=round(time.perf_counter() - began, 3))
