"""Starting the heartbeat from the page, as `engram heartbeat run` does: the plan says what it would read."""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.errors import RefusedError
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import heartbeat_lease
from engram.heartbeat.run.runner import plan_heartbeat
from engram.operations.words.plan_text import Step
from engram.operations.words.plan_text import step_lines
from engram.services.visibility import Caller
from engram.services.visibility import require_owner
from engram.warm.warm_store import WarmWorkspace
from engram.web.heartbeat_process import heartbeat_of
from engram.web.verb import Args
from engram.web.verb import Planned
from engram.web.verb import Verb

_READ: Final = (("note_entries", "entries"), ("turns", "turns"))


def nothing_running(workspace: WarmWorkspace, _args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return nothing; raise RefusedError while one runs, and to everybody but the owner."""
    require_owner(caller, "the heartbeat")
    if heartbeat_lease(workspace).holder():
        raise RefusedError("a heartbeat runs already", hint="wait until it is done")
    return []


def _plan(workspace: WarmWorkspace, _args: Args) -> Planned:
    plan = plan_heartbeat(workspace, RunOptions(adopts_orphans=True))
    steps = [Step("run", {"phases": ", ".join(plan["phases"])})]
    steps += [Step(f"read-{what}", {"n": plan[name]}) for name, what in _READ if plan[name]]
    return Planned({"status": "planned", "details": plan}, step_lines(steps), steps)


def _run(workspace: WarmWorkspace, _args: Args) -> dict[str, Any]:
    heartbeat_of(workspace.paths.root).begin()
    return {"status": "accepted", "id": None, "details": {}}


HEARTBEAT_VERBS: Final[Mapping[str, Verb]] = {"heartbeat-run": Verb((), plan=_plan, apply=_run, shows=nothing_running)}
