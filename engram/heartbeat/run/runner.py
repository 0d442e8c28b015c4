"""The heartbeat as it is called: one run at a time, under a lease, unless nothing has come since a quiet one.

Only the runner writes, and only while it holds the lease: whoever stood still beyond it is refused by the store.
"""

from typing import Any

from engram.base.clock import to_iso
from engram.base.ids import new_id
from engram.base.telemetry import observed
from engram.errors import LeaseLostError
from engram.errors import StoreBusyError
from engram.heartbeat.child.phase_result import SKIPPED as SKIPPED_PHASE
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.phases import due_phases
from engram.heartbeat.child.run_records import FAILED
from engram.heartbeat.child.run_records import OK
from engram.heartbeat.child.run_records import SKIPPED
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.heartbeat.run.one_run import Run
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.options import list_due
from engram.heartbeat.run.result import RunResult
from engram.store.lease import Lease
from engram.workspace import Workspace

TICKED_AT = "ticked_at"  # word of the lease: when the last tick was, quiet or not
SETTLED = "settled"  # word of the lease: what the last tick that left nothing undone saw


def run_heartbeat(workspace: Workspace, options: RunOptions | None = None) -> RunResult:
    """Run the heartbeat once and return what it did; another run that holds the lease makes this one skipped.

    A tick that finds nothing new writes nothing but the words of the lease. Raises BadValueError for a phase that is
    not known. Failures of phases and of the store are in the result. Whoever holds the store is waited for once, for
    store.wait_s: a run that does not get it by then ends without its phases, and `busy` of the result says who that is.
    """
    wanted = options or RunOptions()
    due_phases(workspace.settings.heartbeat.phases, wanted.phases, has_domains=False)  # refuses unknown names
    lease = heartbeat_lease(workspace)
    try:
        with lease.hold() as fence, workspace.locks.waiting_once():
            workspace.fence = lease.check
            with observed("heartbeat") as observation:
                result = _tick(workspace, wanted, lease, fence)
                observation.note(status=result.status, phases=len(result.phases))
            return result
    except StoreBusyError as busy:
        if busy.details.get("lock") != "heartbeat.lock":
            raise
        held = f"skipped: held by pid {busy.details.get('pid')} since {busy.details.get('since')}"
        return RunResult(SKIPPED, None, [], [held])
    finally:
        workspace.fence = None


def heartbeat_lease(workspace: Workspace) -> Lease:
    """Return the lease that a run holds; its words also say when the last tick was."""
    return Lease(workspace.paths.heartbeat_lock, "heartbeat", workspace.settings.heartbeat.lease_s)


def plan_heartbeat(workspace: Workspace, options: RunOptions) -> dict[str, Any]:
    """Return what a run would read; changes nothing, except that commands acknowledged before are applied."""
    phases = list_due(workspace, options)
    unread = collect_unread(workspace, force=options.force)
    return {
        "phases": [phase.name for phase in phases],
        "note_entries": len(unread.notes),
        "turns": len(unread.turns),
        "alerts": unread.alerts,
        "dry_run": True,
    }


def _tick(workspace: Workspace, options: RunOptions, lease: Lease, fence: int) -> RunResult:
    """Run what is due, unless nothing has come since a tick that left nothing undone."""
    look = workspace_fingerprint(workspace)
    if options.is_plain and look is not None and look == lease.words().get(SETTLED):
        result = RunResult(OK, new_id(), [_nothing_new(phase) for phase in list_due(workspace, options)], [])
        lease.note(**{TICKED_AT: to_iso(workspace.now())})
        return result
    run = Run(workspace, options, lease, fence)
    try:
        result = run.go()
    except LeaseLostError as lost:  # its record is the other run's to close
        return RunResult(FAILED, run.run_id, run.results, [*run.alerts, lost.message])
    settled = run.look if options.is_plain and not run.left_undone else None
    lease.note(**{TICKED_AT: to_iso(workspace.now()), SETTLED: settled})
    return result


def _nothing_new(phase: Phase) -> PhaseResult:
    return PhaseResult(phase.name, SKIPPED_PHASE, "nothing new since the last run", {}, [])
