"""Does what a plan says, one step after the other, and tells of each as it is done.

A step that cannot be done is told and left out; the others are done. What is put outside of the workspace is noted
before it is told, so that `--undo` knows of it whatever happens next.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.counts import counted
from engram.errors import EngramError
from engram.errors import RefusedError
from engram.heartbeat.child.run_records import FAILED
from engram.heartbeat.child.run_records import SKIPPED
from engram.heartbeat.schedule import installer as schedules
from engram.heartbeat.schedule.cron_text import format_interval
from engram.hooks.installation.installer import apply_edits
from engram.onboarding.environment import INSTALL
from engram.onboarding.environment import HostPlan
from engram.onboarding.environment import calls
from engram.onboarding.first_reading import Captured
from engram.onboarding.first_reading import capture_newest
from engram.onboarding.first_reading import learn
from engram.onboarding.install_record import Installed
from engram.onboarding.install_record import note_installed
from engram.onboarding.install_record import read_installed
from engram.onboarding.install_record import restore_note
from engram.onboarding.learnt_facts import Learnt
from engram.onboarding.learnt_facts import look_back
from engram.onboarding.plan import SetupPlan
from engram.operations.setup import make_workspace
from engram.store.embedding.setting_up import download_model
from engram.workspace import Workspace

DONE, LEFT_OUT = "done", "left_out"


class Step(NamedTuple):
    """Something that was done, or could not be."""

    name: str  # workspace, hooks, schedule, model, conversations, heartbeat
    status: str  # done or left_out
    words: str

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {"step": self.name, "status": self.status, "what": self.words}


class SetupReport(NamedTuple):
    """What setting up did, and what the memory holds now."""

    steps: Sequence[Step]
    captured: Captured
    learnt: Learnt

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        captured = {"turns": self.captured.turns, "files": self.captured.files, "left": self.captured.left}
        return {
            "steps": [step.as_json() for step in self.steps],
            "captured": captured,
            "facts": self.learnt.facts,
            "learnt": [thing._asdict() for thing in self.learnt.things],
            "next_session": self.learnt.next_session.as_json(),
            "kept_apart": {"facts": self.learnt.apart.facts, "sessions": [*self.learnt.apart.sessions]},
        }


Tell = Callable[[Step], None]
_NOTHING_CAPTURED: Final = Captured(0, 0, 0, ())


class _Steps:
    """Steps as they are done, each told at once."""

    def __init__(self, tell: Tell) -> None:
        self.done: list[Step] = []
        self._tell = tell

    def add(self, name: str, words: str, *, status: str = DONE) -> None:
        self.done.append(Step(name, status, words))
        self._tell(self.done[-1])

    def left_out(self, name: str, problem: EngramError) -> None:
        self.add(name, f"{problem.message} ({problem.hint})", status=LEFT_OUT)


def carry_out(
    plan: SetupPlan, opened: Callable[[Path], Workspace], tell: Tell, *, now: Callable[[], dt.datetime]
) -> SetupReport:
    """Set up what the plan says and return what was done.

    Args:
        plan: what somebody has agreed to.
        opened: opens the workspace, with progress where a person looks on.
        tell: is told of each step when it is over.
        now: the clock.

    Raises:
        EngramError: the workspace can be neither made nor opened; what other steps meet is told and left out.
    """
    steps = _Steps(tell)
    make_workspace(plan.root, plan.wishes.settings, now=now, force=False, dry_run=False)
    if plan.made.is_new:
        steps.add("workspace", "made the workspace")
    workspace = opened(plan.root)
    _connect(plan, workspace, steps)
    _schedule(plan, workspace, steps)
    _fetch(plan, workspace, steps)
    captured = _read(plan, workspace, steps)
    return SetupReport(steps.done, captured, look_back(workspace))


def _connect(plan: SetupPlan, workspace: Workspace, steps: _Steps) -> None:
    for one in plan.to_connect:
        before = read_installed(workspace.paths)
        if one.state == INSTALL:
            note_installed(workspace.paths, Installed(hosts=(one.name,)))
        try:
            apply_edits(workspace.paths, one.edits, installs=True)
        except EngramError as problem:
            if not _is_connected(one, workspace.paths.root):
                restore_note(workspace.paths, before)
            steps.left_out("hooks", problem)
            continue
        note = f". {one.target.host.note}" if one.target.host.note else ""
        steps.add("hooks", f"connected {one.target.host.title}{note}")


def _is_connected(host: HostPlan, root: Path) -> bool:
    """Tell whether a host calls the workspace, or may: its configuration cannot be read."""
    try:
        return calls(host.target, root)
    except RefusedError:
        return True


def _schedule(plan: SetupPlan, workspace: Workspace, steps: _Steps) -> None:
    wanted = plan.schedule
    if wanted is None or wanted.is_there:
        return
    before = read_installed(workspace.paths)
    note_installed(workspace.paths, Installed(schedule=True))
    try:
        schedules.install(workspace, wanted.every_s, wanted.by, dry_run=False)
    except EngramError as problem:
        restore_note(workspace.paths, before)
        steps.left_out("schedule", problem)
        return
    steps.add("schedule", f"{wanted.by} calls the heartbeat every {format_interval(wanted.every_s)}")


def _fetch(plan: SetupPlan, workspace: Workspace, steps: _Steps) -> None:
    if not plan.model.fetch:
        return
    workspace.progress(f"fetching {plan.model.offered}, {plan.model.megabytes} MB")
    try:
        done = download_model(workspace.settings.embeddings, dry_run=False)
    except EngramError as problem:
        steps.left_out("model", problem)
        return
    steps.add("model", f"fetched {done['model']} into {done['folder']}")


def _read(plan: SetupPlan, workspace: Workspace, steps: _Steps) -> Captured:
    """Capture conversations and draw facts from them and from the notes that are there."""
    captured = _NOTHING_CAPTURED
    try:
        if plan.found:
            captured = capture_newest(workspace, plan.found)
            steps.add("conversations", _captured_words(captured))
        result = learn(workspace)
    except EngramError as problem:
        steps.left_out("conversations", problem)
        return captured
    facts = next((phase.stats.get("facts_written", 0) for phase in result.phases if phase.phase == "extraction"), 0)
    if result.status in {FAILED, SKIPPED}:
        why = "; ".join(result.alerts)
        steps.add("heartbeat", f"the heartbeat came to nothing: {why}", status=LEFT_OUT)
    else:
        drawn = (
            f"drew {counted(int(facts), 'fact')} from what was new"
            if facts
            else "ran, and found no facts in what was new"
        )
        steps.add("heartbeat", drawn)
    return captured


def _captured_words(captured: Captured) -> str:
    words = f"read {counted(captured.turns, 'new turn')} in {counted(captured.files, 'conversation')}"
    if captured.complaints:
        words += f"; {counted(len(captured.complaints), 'line')} could not be read"
    if captured.left:
        words += f"; {counted(captured.left, 'older one')} go on in the next heartbeats"
    return words
