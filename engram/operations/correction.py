"""A person puts right what the memory got wrong, and stands by the words that they typed.

A correction alone is trusted no more than what it replaces. What a person typed who saw what it replaces is theirs:
it is confirmed at once, which makes it trusted, so that it stands where the statement stood that it corrects.
"""

from collections.abc import Mapping
from typing import Any

from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.commands.command import CommandResult
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.rules.writes.confirmation import is_vouched_for
from engram.rules.writes.confirmation import plan_vouching
from engram.workspace import Workspace


def correct_and_confirm(workspace: Workspace, args: Mapping[str, Any]) -> CommandResult:
    """Correct a fact and confirm what takes its place, as a person; `args` are those of the command `correct`.

    `undo` takes it back. Durable when this returns; cut off between the two, the correction stands and waits to be
    confirmed.
    """
    result = workspace.submit("correct", {**args, CAN_BE_UNDONE: True}, actor=Actor.USER)
    if result.error is None and result.fact is not None:
        fact = Fact.model_validate(result.fact)
        if is_vouched_for(fact, Actor.USER):
            workspace.submit("confirm", {"id": fact.id}, actor=Actor.USER)
    return result


def plan_correction(workspace: Workspace, args: Mapping[str, Any]) -> tuple[CommandResult, list[Change]]:
    """Return what `correct_and_confirm` would do; changes nothing."""
    result, changes = workspace.plan("correct", dict(args), actor=Actor.USER)
    recorded = [change.fact for change in changes if isinstance(change, FactRecorded)]
    return result, [*changes, *(one for fact in recorded for one in plan_vouching(fact, Actor.USER, workspace.now()))]
