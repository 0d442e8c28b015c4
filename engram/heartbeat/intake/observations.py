"""What phases learned, on its way into the memory: observations, tensions and suggestions of a hand-off.

A phase that records more in the same step takes `draft_learned` and records the commands with its own; one that does
not calls `apply_observations`. Both may be repeated: the commands' ids are made of what they say.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.errors import RefusedError
from engram.model.change import Change
from engram.model.command import CommandResult
from engram.model.command import Envelope
from engram.model.command import Outcome
from engram.model.conversation import Watermark
from engram.model.fact import Actor
from engram.model.handoff import HandoffObservation
from engram.model.handoff import HandoffProposal
from engram.model.handoff import HandoffTension
from engram.model.observation import Observation
from engram.model.observation import ObservationCategory
from engram.model.observation import ObservationStatus
from engram.rules.name_pair import merging_args
from engram.services.commands.answer_words import SELF_FILE
from engram.services.commands.decider import done
from engram.services.silo.memory_file import add_memory_line
from engram.services.silo.memory_file import remove_memory_line
from engram.workspace import Workspace

_REFUSED_QUIETLY = frozenset({"Refused"})  # a tension that is open, or was settled: nothing a person has to know


class Learned(NamedTuple):
    """What became of it."""

    opened: int  # observations and tensions that are new
    seen_again: int  # observations that were known
    quarantined: int  # observations that try to give orders
    alerts: list[str]  # what was refused, and why


def apply_observations(
    workspace: Workspace,
    observations: Sequence[HandoffObservation] = (),
    tensions: Sequence[HandoffTension] = (),
    proposals: Sequence[HandoffProposal] = (),
    *,
    phase: str,
    session: str | None = None,
    watermarks: Sequence[Watermark] = (),
) -> Learned:
    """Record what a phase's hand-off says it noticed, with the watermarks, in one journal record.

    Args:
        workspace: where to.
        observations: things noticed; one that was noticed before is counted there.
        tensions: pairs of facts; one that is open, or of which somebody said that both hold, is left out in silence.
        proposals: of target "fact" and "memory": each becomes an observation of category pattern with a suggestion.
            Those of target "domain" are the domain scan's and are left out.
        phase: name of the phase.
        session: session in which it was noticed.
        watermarks: of the phase; written also when nothing was learned.

    Returns:
        Counts, and an alert for each that was refused.
    """
    now = workspace.now()
    envelopes = [
        Envelope(id=f"hb-{phase}-{mark}", kind=kind, at=now, actor=Actor.AGENT, args=dict(args))
        for mark, kind, args in draft_learned(observations, tensions, proposals, session=session)
    ]
    if not envelopes and not watermarks:
        return Learned(0, 0, 0, [])
    with workspace.writing("heartbeat") as recorder:
        return count_learned(recorder.record_together(envelopes, watermarks))


def draft_learned(
    observations: Sequence[HandoffObservation] = (),
    tensions: Sequence[HandoffTension] = (),
    proposals: Sequence[HandoffProposal] = (),
    *,
    session: str | None = None,
) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (mark, kind, arguments) of the commands that a hand-off asks for; equal marks ask for the same."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("observe", {**one.model_dump(mode="json"), "session": session}) for one in observations
    ]
    asked += [("observe", _suggested(one, session)) for one in proposals if one.target != "domain"]
    asked += [("tension-add", one.model_dump(mode="json")) for one in tensions]
    marked = {sha256_hex(f"{kind} {sorted(args.items())}")[:40]: (kind, args) for kind, args in asked}
    return [(mark, kind, args) for mark, (kind, args) in marked.items()]


def count_learned(results: Sequence[CommandResult]) -> Learned:
    """Return what became of the commands of `draft_learned`; other results are left out."""
    own = [result for result in results if result.kind in {"observe", "tension-add"}]
    opened = [one for one in own if one.status == Outcome.CREATED or (one.kind == "tension-add" and not one.error)]
    refused = [one for one in own if one.error and one.error not in _REFUSED_QUIETLY]
    return Learned(
        opened=len(opened),
        seen_again=sum(one.status == Outcome.CONFIRMED for one in own),
        quarantined=sum(one.status == Outcome.QUARANTINED for one in own),
        alerts=[f"refused: {one.reason}" for one in refused],
    )


def settle(
    workspace: Workspace, args: Mapping[str, Any], *, actor: Actor = Actor.USER, command_id: str | None = None
) -> CommandResult:
    """Settle one thing that waits; durable when this returns. `args` are those of `services.review_commands.Answer`.

    That two entities are one is the command `entity-merge`, which `undo` takes back.

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
    line = _line_of(workspace, str(result.details["settlement"]))
    gone = line is not None and remove_memory_line(workspace.paths, line, str(result.id))
    said = "its line is out of MEMORY.md" if gone else "its line in MEMORY.md was changed: take it out by hand"
    return result.model_copy(update={"reason": f"{result.reason}; {said}"})


def _line_of(workspace: Workspace, settlement: str) -> str | None:
    """Return the line that a decision added, as the journal tells."""
    for record, _ in workspace.journal.read():
        for decision in record.decisions:
            details = decision.result.details
            if details.get("settlement") == settlement and "line" in details:
                return str(details["line"])
    return None


def apply_suggestions(workspace: Workspace) -> tuple[int, list[str]]:
    """Promote every open observation with a suggestion of which nobody ever decided anything.

    For those who set `synthesis.wisdom` to apply. Returns how many, and an alert for each that could not be.
    """
    with workspace.reading() as database:
        decided = {one.subject for one in database.list_settlements()}
        waiting = [one for one in database.list_observations() if one.suggestion and one.id not in decided]
    promoted, alerts = 0, []
    for one in waiting:
        result = _promote(workspace, one)
        promoted += not result.error
        alerts += [f"{one.id} was not promoted: {result.reason}"] if result.error else []
    return promoted, alerts


def _promote(workspace: Workspace, observation: Observation) -> CommandResult:
    """Promote it; what is refused is only planned, so that trying it at every tick writes nothing."""
    args = {"id": observation.id, "outcome": "promote"}
    try:
        planned, _ = plan_settling(workspace, args, actor=Actor.AGENT)
        return planned if planned.error else settle(workspace, args, actor=Actor.AGENT)
    except RefusedError as problem:
        envelope = workspace.envelope("review-answer", args)
        return done(envelope, reason=problem.message, error=problem.code)


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
        add_memory_line(workspace.paths, workspace.settings, line, marker, dry_run=dry_run)


def _suggested(one: HandoffProposal, session: str | None) -> dict[str, Any]:
    suggestion = {
        "target": one.target,
        "text": one.text,
        "entity": one.entity,
        "category": one.category.value,
        "abstraction": one.abstraction.value,
    }
    return {
        "text": one.text,
        "category": ObservationCategory.PATTERN.value,
        "entity": one.entity,
        "facts": list(one.sources),
        "session": session,
        "suggestion": suggestion,
    }
