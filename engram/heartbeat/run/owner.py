"""The owner as a run sees to it: before anything is read that says "I", somebody is it."""

from collections.abc import Sequence
from typing import NamedTuple

from engram.errors import EngramError
from engram.errors import LeaseLostError
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import PhaseResult
from engram.workspace import Workspace
from engram.workspace.owner import settle_owner

_OWNER = "owner"  # what a notice is about, in the report


class SeenTo(NamedTuple):
    """What became of it, in sentences."""

    notices: Sequence[str] = ()  # what was done
    alerts: Sequence[str] = ()  # why nothing could be


def see_to_owner(workspace: Workspace) -> SeenTo:
    """Give the workspace an owner if it has none; what goes wrong is told and stops no phase, save a lost lease."""
    try:
        done = settle_owner(workspace)
    except LeaseLostError:
        raise
    except EngramError as problem:
        return SeenTo(alerts=[f"{problem.message} ({problem.hint})"])
    except OSError as problem:
        return SeenTo(alerts=[f"engram.toml cannot be written: {problem.strerror or problem}"])
    return SeenTo([done] if done else [])


def as_results(notices: Sequence[str]) -> list[PhaseResult]:
    """Return notices as the report tells them: like phases that changed something."""
    return [PhaseResult(_OWNER, SUCCEEDED, notice, {}, [], changed=True) for notice in notices]
