"""The maintenance phase as the runner sees it: what the child looks at, and the projections brought up to date."""

from collections.abc import Callable
from typing import Any

from engram.errors import EngramError
from engram.heartbeat.answering.maintenance import NOTE_BYTES
from engram.heartbeat.collecting import iter_note_files
from engram.heartbeat.results import SUCCEEDED
from engram.heartbeat.results import WARNING
from engram.heartbeat.results import PhaseResult
from engram.heartbeat.results import PhaseTask
from engram.heartbeat.results import ask_child
from engram.heartbeat.runs import RunRecords
from engram.services.mirror_report import mirror_warnings
from engram.workspace import Workspace

STALE_RESULT_S = 86_400.0  # a result that nobody fetched for a day has nobody who waits for it


def run_maintenance(task: PhaseTask) -> PhaseResult:
    """Bring index and mirror up to date, clear what is stale, and let the child say what needs a person."""
    workspace = task.workspace
    runs = RunRecords(workspace.paths.runs)
    stats: dict[str, Any] = {
        "results_cleared": workspace.spool.clear_results(STALE_RESULT_S),
        "runs_pruned": runs.prune(),
    }
    alerts = []
    for name, catch_up in _projections(workspace).items():
        try:
            stats[name] = catch_up()
            alerts += mirror_warnings(stats[name]) if name == "mirror" else []
        except EngramError as problem:
            alerts.append(f"{name}: {problem.message} ({problem.hint})")
    handoff = ask_child(task, _look(workspace, runs), "", "")
    alerts += handoff.alerts
    return PhaseResult(
        task.phase.name, WARNING if alerts else SUCCEEDED, handoff.summary, {**stats, **handoff.stats}, alerts
    )


def _projections(workspace: Workspace) -> dict[str, Callable[[], dict[str, Any]]]:
    # Uses are counted first: they decide what is hot in the mirror.
    return {"accesses": workspace.fold_accesses, "index": workspace.maintain_index, "mirror": workspace.refresh_mirror}


def _look(workspace: Workspace, runs: RunRecords) -> dict[str, Any]:
    sizes = {workspace.paths.relative(file): file.stat().st_size for file in iter_note_files(workspace.paths.memory)}
    return {
        "waiting": len(workspace.spool.waiting()),
        "rejected": len(workspace.spool.rejected()),
        "runs": len(runs.ids()),
        "notes": len(sizes),
        "large_notes": [{"path": path, "bytes": size} for path, size in sizes.items() if size > NOTE_BYTES],
    }
