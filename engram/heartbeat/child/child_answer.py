"""What the child of a phase answers: the built-in one, or an agent, which is asked again where it cannot be read."""

import json
import time
from collections.abc import Callable
from collections.abc import Collection
from typing import Any

from engram.errors import MalformedInputError
from engram.heartbeat.child.agent_answer import agent_environment
from engram.heartbeat.child.agent_answer import ask_again
from engram.heartbeat.child.agent_answer import kept_answers
from engram.heartbeat.child.agent_answer import one_line
from engram.heartbeat.child.agent_answer import sanitise_answer
from engram.heartbeat.child.budget import note_spent
from engram.heartbeat.child.budget import spent_today
from engram.heartbeat.child.budget import why_spent
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import NOT_STARTED
from engram.heartbeat.child.limited_process import TIMED_OUT
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phases import built_in_command
from engram.heartbeat.child.phases import child_environment
from engram.heartbeat.child.preset_call import ask_preset
from engram.heartbeat.child.presets import Preset
from engram.heartbeat.child.run_records import RunRecords
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.handoff.handoff import Asked
from engram.rules.handoff.handoff import parse_handoff

RETRIES = 1  # times that an agent is told what was wrong with its answer and asked again: each costs tokens
_SAID_CHARS = 200  # of a child's standard error in an alert
_WHY_CHARS = 500  # of what was wrong with an answer


def ask_child(
    task: PhaseTask,
    question: dict[str, Any],
    prompt: str,
    given: str,
    *,
    names: Collection[str] | None = None,
    check: Callable[[], None] | None = None,
) -> Handoff:
    """Return the hand-off of the task's child: the agent gets the prompt, the built-in child the question as JSON.

    An agent whose answer cannot be read is asked again as often as the settings say, within the time of the phase.

    Args:
        task: the phase of this run.
        question: what the built-in child is given.
        prompt: what the agent is given; empty for a phase that no agent answers.
        given: the text in the prompt that others wrote: a hand-off block in it is a quotation.
        names: the files or domains that the texts of the answer may be of; None where no text is asked for.
        check: called while the built-in child works, besides the workspace's fence; what it raises ends the child.

    Raises:
        PhaseFailedError: it ended in any other way; answers that cannot be read are kept in the folder of runs.
    """
    if task.agent_command:
        return _ask_agent(task, prompt, Asked(f"{given}\n{prompt}", names))
    command = built_in_command(task.phase, task.memory_mb)
    limits = Limits(task.timeout_s, task.memory_mb, task.adopts_orphans)
    ending = run_limited(
        command,
        json.dumps(question),
        limits,
        environment=child_environment(),
        mark=task.run_id,
        check=_both(task.workspace.fence, check),
    )
    try:
        return _read_answer(task, ending, Asked(names=names))
    except MalformedInputError as problem:
        raise _unreadable(task, problem, ending, [ending.output]) from problem


def _both(first: Callable[[], None] | None, second: Callable[[], None] | None) -> Callable[[], None]:
    checks = [check for check in (first, second) if check is not None]

    def check_all() -> None:
        for check in checks:
            check()

    return check_all


def _ask_agent(task: PhaseTask, prompt: str, asked: Asked) -> Handoff:
    settings = task.workspace.settings
    deadline = time.monotonic() + task.timeout_s
    answers: list[str] = []
    wanted = prompt
    while True:
        limits = Limits(max(0.1, deadline - time.monotonic()), task.memory_mb, task.adopts_orphans)
        ending = _run_preset(task, task.preset, wanted, limits) if task.preset else _run_agent(task, wanted, limits)
        try:
            return sanitise_answer(_read_answer(task, ending, asked), settings.screen.patterns)
        except MalformedInputError as problem:
            answers.append(ending.output)
            if len(answers) > RETRIES or time.monotonic() >= deadline:
                raise _unreadable(task, problem, ending, answers) from problem
            wanted = ask_again(prompt, problem.message)


def _run_agent(task: PhaseTask, prompt: str, limits: Limits) -> Ending:
    root = task.workspace.paths.root
    return run_limited(
        task.agent_command,
        prompt,
        limits,
        folder=root,
        environment=agent_environment(root),
        mark=task.run_id,
        check=task.workspace.fence,
    )


def _run_preset(task: PhaseTask, preset: Preset, prompt: str, limits: Limits) -> Ending:
    """Ask a preset within what may be spent on one day, count what it took, and return its answer as the output.

    Raises PhaseFailedError when it has none.
    """
    workspace = task.workspace
    if why := why_spent(spent_today(workspace), workspace.settings.heartbeat):
        raise PhaseFailedError(why, nobody_answers=True)
    answered = ask_preset(preset, prompt, limits, mark=task.run_id, check=workspace.fence)
    note_spent(workspace, answered.usage)
    task.taken.by = preset.name
    task.taken.calls += 1
    task.taken.usage = task.taken.usage.plus(answered.usage)
    if answered.ending.status not in {ENDED, NOT_STARTED}:
        return answered.ending  # stopped: `_read_answer` says why
    if answered.reply.problem:
        verb = "refuses" if answered.reply.is_refusal else "gives no answer"
        message = f"{preset.name} {verb}: {one_line(answered.reply.problem)}"
        raise PhaseFailedError(message, nobody_answers=not answered.reply.is_refusal)
    return answered.ending._replace(output=answered.reply.text)


def _unreadable(task: PhaseTask, problem: MalformedInputError, ending: Ending, answers: list[str]) -> PhaseFailedError:
    """Keep the answers and return the error that says where and why."""
    paths = task.workspace.paths
    kept = RunRecords(paths.runs).keep_answer(task.run_id, task.phase.name, kept_answers(answers))
    said = f"; it said: {one_line(ending.errors[-_SAID_CHARS:])}" if ending.errors else ""
    tries = f" (asked {len(answers)} times)" if len(answers) > 1 else ""
    why = one_line(problem.message, _WHY_CHARS)
    return PhaseFailedError(f"{why}{tries}{said}", detail=f"; the answer is kept in {paths.relative(kept)}")


def _read_answer(task: PhaseTask, ending: Ending, asked: Asked) -> Handoff:
    if ending.status == NOT_STARTED:
        raise PhaseFailedError(one_line(ending.errors))
    if ending.status != ENDED:
        why = f"the child was stopped ({ending.status.replace('_', ' ')})"
        raise PhaseFailedError(why, timed_out=ending.status == TIMED_OUT)
    if ending.exit_code and not ending.output.strip():
        raise MalformedInputError(f"the child ended with exit code {ending.exit_code} and no answer")
    handoff = parse_handoff(ending.output, task.phase.template, asked)
    if handoff.status == HandoffStatus.FAILED:
        raise PhaseFailedError(f"it says that it failed: {one_line(handoff.summary)}")
    if ending.exit_code:
        raise MalformedInputError(f"the child ended with exit code {ending.exit_code}")
    return handoff
