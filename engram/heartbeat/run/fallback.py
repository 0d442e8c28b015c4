"""What becomes of a phase whose model does not answer: the built-in phase does what is left of it.

A memory must not stand still because a subscription has run out. A program of the user's own, `agent_command`, is
different: they chose that it reads, and what it did not read waits for it.
"""

import dataclasses
from collections.abc import Callable

from engram.heartbeat.child.phase_result import FAILED_PHASES
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phase_result import SoFar
from engram.heartbeat.child.phase_result import Taken
from engram.heartbeat.child.phase_result import run_phase
from engram.heartbeat.run.quiescence import COUNTING
from engram.heartbeat.run.quiescence import merge

_INSTEAD = "; the built-in phase did what was left"


def run_or_fall_back(task: PhaseTask, run: Callable[[PhaseTask], PhaseResult]) -> PhaseResult:
    """Run one phase with its model, where it has one, and again without it when that fails.

    Raises LeaseLostError, as `run_phase` does.
    """
    result = run_phase(task, run)
    if task.preset is None or result.status not in FAILED_PHASES:
        return result
    again = run_phase(dataclasses.replace(task.without_agent(), so_far=SoFar(), taken=Taken()), run)
    if again.status in FAILED_PHASES:
        return merge(result, again)
    alerts = [*result.alerts[:-1], f"{result.alerts[-1]}{_INSTEAD}"]  # why it failed is the last of them
    merged = merge(result._replace(alerts=alerts), again)
    stats = merged.stats if result.phase in COUNTING else {**result.stats, **again.stats}
    return merged._replace(status=WARNING, summary=again.summary, stats=stats)
