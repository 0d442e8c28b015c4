"""An answer to an observation: promoted to a fact or a line of MEMORY.md, merged into another one, or dismissed."""

from engram.config.paths import SELF_FILE
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import ObservationResolved
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.fact import SHARED
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import require_person
from engram.services.commands.answers.answer_drafts import promoting_write
from engram.services.commands.answers.answer_words import memory_text
from engram.services.commands.answers.given_answer import GivenAnswer
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_observation
from engram.services.commands.writes.write import Write

_REOPEN = "engram review undo"
_OBSERVATION_VERDICTS = (Verdict.PROMOTE, Verdict.DISMISS, Verdict.MERGE)


def observation_keys(answer: GivenAnswer, state: State, observation: Observation) -> SliceKeys:
    """Return what of the state an answer to an observation needs besides it."""
    wanted = SliceKeys(fact_ids=frozenset(observation.facts))
    if answer.args.outcome != Verdict.PROMOTE or _target(answer, observation) != "fact":
        return wanted
    keys = _promotion(answer, state, observation).keys()
    return keys._replace(fact_ids=keys.fact_ids | wanted.fact_ids)


def settle_observation(answer: GivenAnswer, state: State, observation: Observation) -> Decided:
    """Settle an observation: it is promoted, merged into another one, or dismissed."""
    answer.check_verdict("an observation", _OBSERVATION_VERDICTS)
    if observation.status != ObservationStatus.OPEN:
        why = f"{observation.id} is {observation.status}: {observation.resolution}"
        raise RefusedError(why, hint=f"{_REOPEN} {observation.id}")
    if answer.args.outcome == Verdict.PROMOTE:
        return _promote(answer, state, observation)
    if answer.args.outcome == Verdict.MERGE:
        return _merge_observation(answer, state, observation)
    return _close(answer, state, observation, ObservationStatus.DISMISSED)


def _merge_observation(answer: GivenAnswer, state: State, observation: Observation) -> Decided:
    if not answer.args.keep:
        raise BadValueError("a merge needs the observation that stays", hint="--keep observation-0001")
    kept = get_observation(state, answer.args.keep)
    if kept.id == observation.id:
        raise BadValueError(f"{kept.id} cannot be merged with itself", hint="--keep another observation")
    if kept.status in {ObservationStatus.DISMISSED, ObservationStatus.MERGED}:
        raise RefusedError(f"{kept.id} is {kept.status}", hint=f"keep one that waits, or {_REOPEN} {kept.id}")
    return _close(answer, state, observation, ObservationStatus.MERGED, merged_into=kept.id)


def _close(
    answer: GivenAnswer,
    state: State,
    observation: Observation,
    status: ObservationStatus,
    *,
    more: tuple[Change, ...] = (),
    made: str | None = None,
    merged_into: str | None = None,
) -> Decided:
    resolved = ObservationResolved(
        id=observation.id,
        status=status,
        at=answer.now,
        resolution=answer.args.note or str(answer.args.outcome),
        promoted_to=made,
        merged_into=merged_into,
    )
    return answer.settled(state, (*more, resolved), [], keep=merged_into, made=made)


def _promotion(answer: GivenAnswer, state: State, observation: Observation) -> Write:
    wished = answer.args.model_dump(include={"entity", "text", "create"})
    return answer.write(promoting_write(observation, wished, answer.actor, state))


def _target(answer: GivenAnswer, observation: Observation) -> str:
    return answer.args.to or (observation.suggestion.target if observation.suggestion else "fact")


def _promote(answer: GivenAnswer, state: State, observation: Observation) -> Decided:
    if observation.trust == Trust.QUARANTINED:
        raise RefusedError(f"{observation.id} is quarantined", hint="dismiss it, and write what is right in your words")
    if _target(answer, observation) == "memory":
        require_person(answer.actor, "a line of MEMORY.md stands among the instructions")
        if observation.scope != SHARED:  # every session loads MEMORY.md
            raise RefusedError(f"{observation.id} is private to {observation.scope}", hint="--to fact keeps it so")
        decided = _close(answer, state, observation, ObservationStatus.PROMOTED, made=SELF_FILE)
        details = {**decided.result.details, "line": memory_text(observation, answer.args.text)}
        return decided._replace(result=decided.result.model_copy(update={"details": details}))
    decided = _promotion(answer, state, observation).decide(state)
    made = answer.made_by(decided)
    return _close(answer, state, observation, ObservationStatus.PROMOTED, more=decided.changes, made=made)
