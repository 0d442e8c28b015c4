"""Answers to what waits for a person: settled, planned, and taken back, with the line of MEMORY.md that they make."""

from collections.abc import Mapping
from typing import Any

from engram.config.paths import SELF_FILE
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.fact import Actor
from engram.model.observation import ObservationStatus
from engram.operations.domains.domain_proposals import sees_proposals
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.ports.journal import Journal
from engram.rules.entities.name_pair import merging_args
from engram.services.review.queue import count
from engram.services.review.visible_queue import visible_queue
from engram.services.silo.memory_file import add_memory_line
from engram.services.silo.memory_file import remove_memory_line
from engram.services.visibility import Caller
from engram.workspace import Workspace


def count_waiting(workspace: Workspace, caller: Caller | None = None) -> dict[str, int]:
    """Return how much waits for a person, by kind; to a caller, of what it may see."""
    with workspace.reading() as database:
        waiting = count(visible_queue(database, workspace.settings, caller, workspace.now()))
    proposals = len(waiting_proposals(workspace)) if sees_proposals(caller) else 0
    return {**waiting._asdict(), "proposals": proposals}


def settle(
    workspace: Workspace, args: Mapping[str, Any], *, actor: Actor = Actor.USER, command_id: str | None = None
) -> CommandResult:
    """Settle one thing that waits; durable when this returns.

    `args` are those of `services.commands.answers.answer.Answer`. That two entities are one is the command
    `entity-merge`, which `undo` takes back.

    A line for MEMORY.md is written first, when nothing else stands against the answer: it carries the observation's id,
    so doing it again adds nothing. Raises RefusedError when that line cannot be.
    """
    given = dict(args)
    if (names := merging_args(given)) is not None:
        return workspace.submit("entity-merge", names, actor=actor, command_id=command_id)
    if _asks_for_line(workspace, given):
        planned, _ = workspace.plan("review-answer", given, actor=actor)
        if planned.error:
            return planned
        _add_line(workspace, planned)
    return workspace.submit("review-answer", given, actor=actor, command_id=command_id)


def plan_settling(
    workspace: Workspace, args: Mapping[str, Any], *, actor: Actor = Actor.USER
) -> tuple[CommandResult, list[Change]]:
    """Return what `settle` would do; changes nothing. Raises RefusedError like it."""
    if (names := merging_args(args)) is not None:
        return workspace.plan("entity-merge", names, actor=actor)
    planned, changes = workspace.plan("review-answer", args, actor=actor)
    _add_line(workspace, planned, dry_run=True)
    return planned, changes


def take_back(workspace: Workspace, about: str | None = None, *, actor: Actor = Actor.USER) -> CommandResult:
    """Take the latest decision of a review back, or the one about this; durable when this returns.

    A line that it had added to MEMORY.md goes, too, if it stands there as it was added; else the reason says so.
    """
    result = workspace.submit("review-undo", {"id": about} if about else {}, actor=actor)
    if result.error or result.details.get("made") != SELF_FILE:
        return result
    line = _line_of(workspace.journal, str(result.details["settlement"]))
    gone = line is not None and remove_memory_line(workspace.files, line, str(result.id))
    said = "its line is out of MEMORY.md" if gone else "its line in MEMORY.md was changed: take it out by hand"
    return result.model_copy(update={"reason": f"{result.reason}; {said}"})


def _line_of(journal: Journal, settlement: str) -> str | None:
    """Return the line that a decision added, as the journal tells."""
    for record, _ in journal.read():
        for decision in record.decisions:
            details = decision.result.details
            if details.get("settlement") == settlement and "line" in details:
                return str(details["line"])
    return None


def _asks_for_line(workspace: Workspace, args: Mapping[str, Any]) -> bool:
    """Tell whether an answer asks that an open observation becomes a line of MEMORY.md."""
    if args.get("outcome") != "promote" or args.get("to") == "fact":
        return False
    wanted = str(args.get("id", "")).strip().casefold()
    with workspace.reading() as database:
        found = next((one for one in database.list_observations(ObservationStatus.OPEN) if one.id == wanted), None)
    suggests = found is not None and found.suggestion is not None and found.suggestion.target == "memory"
    return suggests or (found is not None and args.get("to") == "memory")


def _add_line(workspace: Workspace, planned: CommandResult, *, dry_run: bool = False) -> None:
    """Add the line that a planned answer makes, if it makes one."""
    if planned.details.get("made") == SELF_FILE:
        line, marker = str(planned.details["line"]), str(planned.id)
        add_memory_line(workspace.files, workspace.settings, line, marker, dry_run=dry_run)
