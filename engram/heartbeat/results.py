"""What a phase is asked to do, how its child is called, and what became of it."""

import json
from typing import Any
from typing import NamedTuple

from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.heartbeat.phases import Phase
from engram.heartbeat.phases import built_in_command
from engram.heartbeat.phases import child_environment
from engram.heartbeat.process import ENDED
from engram.heartbeat.process import TIMED_OUT
from engram.heartbeat.process import Ending
from engram.heartbeat.process import Limits
from engram.heartbeat.process import run_limited
from engram.heartbeat.runs import RunRecords
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.handoff import parse_handoff
from engram.workspace import Workspace

SUCCEEDED, WARNING, FAILED, TIMED_OUT_PHASE, SKIPPED = "ok", "warning", "failed", "timed_out", "skipped"
FAILED_PHASES = frozenset([FAILED, TIMED_OUT_PHASE])
_SAID_CHARS = 200  # of a child's standard error in an alert


class PhaseTask(NamedTuple):
    """One phase of one run."""

    workspace: Workspace
    run_id: str
    phase: Phase
    agent_command: tuple[str, ...]  # empty: the built-in child answers
    timeout_s: float  # of one child
    force: bool


class PhaseResult(NamedTuple):
    """What became of a phase."""

    phase: str
    status: str  # ok, warning, failed, timed_out, skipped
    summary: str  # one sentence
    stats: dict[str, Any]
    alerts: list[str]
    duration_s: float = 0.0
    changed: bool = False  # something was recorded that a person may want to know of

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {name: value for name, value in self._asdict().items() if name != "changed"}


class PhaseFailedError(EngramError):
    """A phase gave no answer that can be used."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        """Take the sentence, and whether it is time that ran out."""
        super().__init__(message)
        self.timed_out = timed_out


def failed(phase: Phase, why: str, *, timed_out: bool = False) -> PhaseResult:
    """Return the result of a phase of which nothing was applied."""
    status = TIMED_OUT_PHASE if timed_out else FAILED
    return PhaseResult(phase.name, status, why, {}, [f"{phase.name}: {why}"])


def ask_child(task: PhaseTask, question: dict[str, Any], prompt: str, given: str) -> Handoff:
    """Return the hand-off of the task's child: the agent gets the prompt, the built-in child the question as JSON.

    Raises PhaseFailedError when it ends in any other way; an answer that cannot be read is kept in the folder of runs.
    """
    workspace = task.workspace
    limits = Limits(task.timeout_s, workspace.settings.heartbeat.memory_mb)
    if task.agent_command:
        ending = run_limited(task.agent_command, prompt, limits, folder=workspace.paths.root)
    else:
        command = built_in_command(task.phase, limits.memory_mb)
        ending = run_limited(command, json.dumps(question), limits, environment=child_environment())
    try:
        handoff = _read_answer(task, ending, given)
    except MalformedInputError as problem:
        kept = RunRecords(workspace.paths.runs).keep_answer(task.run_id, task.phase.name, ending.output)
        said = f"; it said: {ending.errors[-_SAID_CHARS:]}" if ending.errors else ""
        where = workspace.paths.relative(kept)
        raise PhaseFailedError(f"{problem.message}; the answer is kept in {where}{said}") from problem
    if handoff.status == HandoffStatus.FAILED:
        raise PhaseFailedError(f"it says that it failed: {handoff.summary}")
    return handoff


def _read_answer(task: PhaseTask, ending: Ending, given: str) -> Handoff:
    if ending.status != ENDED:
        why = (
            f"the child was stopped ({ending.status.replace('_', ' ')})"
            if ending.status != "not_started"
            else ending.errors
        )
        raise PhaseFailedError(why, timed_out=ending.status == TIMED_OUT)
    handoff = parse_handoff(ending.output, task.phase.template, given=given)
    if ending.exit_code and handoff.status != HandoffStatus.FAILED:
        raise MalformedInputError(f"the child ended with exit code {ending.exit_code}")
    return handoff
