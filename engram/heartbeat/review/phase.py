"""The review phase as the runner sees it: whether too much waits, and once for each state of it, what a child says.

The thresholds are looked at in every run, for nothing but the one reading of the store. A child is asked only when one
is crossed and something changed since it was asked last: the mark of what waited then is the phase's watermark.
"""

from typing import Any

from engram.base.counts import counted
from engram.base.text import sha256_hex
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.prompts import review_prompt
from engram.heartbeat.intake.observations import apply_observations
from engram.heartbeat.intake.observations import apply_suggestions
from engram.model.conversation import Watermark
from engram.model.fact import Trust
from engram.model.handoff import Handoff
from engram.ports.database import FactDatabase
from engram.rules.review_queue import Waiting
from engram.rules.review_queue import crossed
from engram.services.review.queue import PendingItem
from engram.services.review.queue import count
from engram.services.review.queue import describe
from engram.services.review.queue import queue

CONSUMER = "review"
ASKED = "asked"  # key of the mark of what waited when the child was asked last
_MOST_ASKED = 200  # things of one kind that a child is given


def run_review(task: PhaseTask) -> PhaseResult:
    """Apply suggestions where the settings say so, and raise an alert when too much waits."""
    workspace = task.workspace
    promoted, alerts = apply_suggestions(workspace) if workspace.settings.synthesis.wisdom == "apply" else (0, [])
    with workspace.reading() as database:
        waiters = queue(database)
        waiting = count(waiters)
        reached = crossed(waiting)
        mark = _mark(waiters)
        known = database.watermarks(CONSUMER).get(ASKED)
        due = bool(reached) and (mark != known or task.force)
        question = _question(task, database, waiters, waiting, reached) if due else None
    task.so_far.alerts = [*reached, *alerts]
    task.so_far.changed = bool(promoted)
    stats: dict[str, Any] = {**waiting._asdict(), "promoted": promoted}
    if question is None:
        status = WARNING if alerts else SUCCEEDED if promoted else SKIPPED
        said = _said(waiting, promoted)
        return PhaseResult(task.phase.name, status, said, stats, [*reached, *alerts], changed=bool(promoted))
    handoff = _ask(task, question)
    learned = apply_observations(
        workspace,
        handoff.observations,
        handoff.tensions,
        phase=task.phase.name,
        watermarks=[Watermark(consumer=CONSUMER, key=ASKED, value=mark)],
    )
    if learned.opened:
        _mark_again(task)
    alerts = [*reached, *alerts, *(one for one in handoff.alerts if one not in reached), *learned.alerts]
    stats |= {**handoff.stats, "noticed": learned.opened}
    return PhaseResult(task.phase.name, WARNING, handoff.summary, stats, alerts, changed=True)


def _mark_again(task: PhaseTask) -> None:
    """Take what the child itself noticed into the mark: that is no reason to ask it again."""
    with task.workspace.writing("heartbeat") as recorder:
        mark = _mark(queue(recorder.database))
        recorder.record_together([], [Watermark(consumer=CONSUMER, key=ASKED, value=mark)])


def _ask(task: PhaseTask, question: dict[str, Any]) -> Handoff:
    prompt = review_prompt(question, task.workspace.settings.heartbeat.agent_tokens)
    return ask_child(task, question, prompt.text, prompt.given)


def _mark(waiters: list[PendingItem]) -> str:
    """Return what tells one state of what waits from another; that something was seen again does not count."""
    return sha256_hex(" ".join(sorted(one.thing.id for one in waiters)))[:32]


def _question(
    task: PhaseTask, database: FactDatabase, waiters: list[PendingItem], waiting: Waiting, reached: list[str]
) -> dict[str, Any]:
    """Return what the child is given: harmless things only, tensions oldest first, observations by weight."""
    workspace = task.workspace
    rows: dict[str, list[dict[str, Any]]] = {"tension": [], "observation": []}
    for waiter in waiters:
        chosen = rows.get(waiter.kind)
        if chosen is not None and len(chosen) < _MOST_ASKED and _is_harmless(waiter):
            row = describe(database, waiter, workspace.settings, workspace.files)
            chosen.append({name: value for name, value in row.items() if name != "outcomes"})
    return {
        "waiting": waiting._asdict(),
        "reached": reached,
        "tensions": rows["tension"],
        "observations": rows["observation"],
    }


def _is_harmless(waiter: PendingItem) -> bool:
    return getattr(waiter.thing, "trust", Trust.TRUSTED) != Trust.QUARANTINED


def _said(waiting: Waiting, promoted: int) -> str:
    waits = f"{counted(waiting.observations, 'observation')} and {counted(waiting.tensions, 'tension')} wait"
    return f"{counted(promoted, 'suggestion')} applied; {waits}" if promoted else waits
