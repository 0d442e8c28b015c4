"""What can be done from the page, and how a plan and its outcome are told."""

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.operations.words.plan_text import Step
from engram.operations.words.plan_text import plan_steps
from engram.operations.words.plan_text import step_lines
from engram.ports.database import FactDatabase
from engram.services.facts.listing import Moment
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmWorkspace

Args = dict[str, Any]


class Planned(NamedTuple):
    """What a change would do."""

    result: dict[str, Any]  # as of `CommandResult`
    lines: list[str]  # in English
    steps: Sequence[Step] | None = None  # the same for any language; None: there is English alone


class Verb(NamedTuple):
    """Something that can be done from the page."""

    needs: tuple[str, ...]  # arguments that have to be there
    allows: tuple[str, ...] = ()  # arguments that may be there
    plan: Callable[[WarmWorkspace, Args], Planned] | None = None  # None: the command of the verb's own name
    apply: Callable[[WarmWorkspace, Args], dict[str, Any]] | None = None  # as above; what became of it
    about: Callable[[FactDatabase, Args, Moment], list[dict[str, Any]]] | None = None  # what a form shows; with stamps
    is_by_hand: bool = False  # of a command that says so: `undo` can take it back then
    shows: Callable[[WarmWorkspace, Args, Caller | None], list[dict[str, Any]]] | None = None  # the same, beyond facts


def planned(result: CommandResult, changes: list[Change]) -> Planned:
    """Return a command's plan as the page shows it; raise RefusedError when it would be refused."""
    steps = plan_steps([change.model_dump(mode="json", exclude_none=True) for change in changes])
    return Planned(taken(result), step_lines(steps), steps)


def taken(result: CommandResult) -> dict[str, Any]:
    """Return what became of a command as the page shows it; raise RefusedError when it was refused."""
    shown = result.model_dump(mode="json", exclude={"exit_code"})
    if result.error:
        raise RefusedError(result.reason or "the change was refused", hint=result.hint or "", result=shown)
    return shown
