"""What phases learned, on its way into the memory: observations, tensions and suggestions of a hand-off.

A phase that records more in the same step takes `draft_learned` and records the commands with its own; one that does
not calls `apply_observations`. Both may be repeated: the commands' ids are made of what they say.
"""

from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.errors import RefusedError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.conversation import Watermark
from engram.model.fact import Actor
from engram.model.handoff import HandoffObservation
from engram.model.handoff import HandoffProposal
from engram.model.handoff import HandoffTension
from engram.model.observation import Observation
from engram.model.observation import ObservationCategory
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.services.commands.decider import done
from engram.workspace import Workspace

_REFUSED_QUIETLY = frozenset({"Refused"})  # a tension that is open, or was settled: nothing a person has to know


class Learned(NamedTuple):
    """What became of it."""

    opened: int  # observations and tensions that are new
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
        return Learned(0, 0, [])
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
        quarantined=sum(one.status == Outcome.QUARANTINED for one in own),
        alerts=[f"refused: {one.reason}" for one in refused],
    )


def apply_suggestions(workspace: Workspace) -> tuple[int, list[str]]:
    """Promote every open observation with a suggestion of which nobody ever decided anything.

    For those who set `synthesis.wisdom` to apply; lines of MEMORY.md wait for a person all the same. Returns how many,
    and an alert for each that could not be.
    """
    with workspace.reading() as database:
        decided = {one.subject for one in database.list_settlements()}
        waiting = [one for one in database.list_observations() if one.id not in decided and _may_be_applied(one)]
    promoted, alerts = 0, []
    for one in waiting:
        result = _promote(workspace, one)
        promoted += not result.error
        alerts += [f"{one.id} was not promoted: {result.reason}"] if result.error else []
    return promoted, alerts


def _may_be_applied(observation: Observation) -> bool:
    """Tell whether what an observation suggests needs no person, as a line of MEMORY.md does."""
    return observation.suggestion is not None and observation.suggestion.target != "memory"


def _promote(workspace: Workspace, observation: Observation) -> CommandResult:
    """Promote it; what is refused is only planned, so that trying it at every tick writes nothing."""
    args = {"id": observation.id, "outcome": "promote"}
    try:
        planned, _ = plan_settling(workspace, args, actor=Actor.AGENT)
        return planned if planned.error else settle(workspace, args, actor=Actor.AGENT)
    except RefusedError as problem:
        envelope = workspace.envelope("review-answer", args)
        return done(envelope, reason=problem.message, error=problem.code)


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
