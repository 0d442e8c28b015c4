"""An answer to a tension: which side stays, that both do, or what says both."""

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownTensionError
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionResolved
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.tension import Tension
from engram.model.tension import TensionStatus
from engram.ports.database import SliceKeys
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.retraction import end_of
from engram.rules.writes.tension_outcome import TENSION_VERDICTS
from engram.rules.writes.tension_outcome import close
from engram.rules.writes.tension_outcome import plan_verdict
from engram.rules.writes.tension_outcome import refuse_verdict
from engram.services.commands.answers.answer_drafts import merged_write
from engram.services.commands.answers.given_answer import GivenAnswer
from engram.services.commands.decider import Decided


def tension_keys(answer: GivenAnswer, state: State, tension: Tension) -> SliceKeys:
    """Return what of the state an answer to a tension needs besides it."""
    sides = frozenset({tension.fact1, tension.fact2})
    if not sides <= state.facts.keys() or answer.args.outcome != Verdict.MERGE or not _merged(answer):
        return SliceKeys(fact_ids=sides)
    kept, other = _sides(answer, state, tension)
    return answer.write(merged_write(tension, kept, other, str(_merged(answer)), answer.actor)).keys()


def settle_tension(answer: GivenAnswer, state: State) -> Decided:
    """Settle a tension: one side stays, both do, or a sentence takes the place of both."""
    tension = state.tensions.get(answer.args.id)
    if tension is None:
        raise UnknownTensionError(f"no tension has the id {answer.args.id!r}", id=answer.args.id)
    answer.check_verdict("a tension", TENSION_VERDICTS)
    if tension.status != TensionStatus.OPEN:
        raise RefusedError(f"{tension.id} is settled: {tension.resolution}", hint=f"engram tension reopen {tension.id}")
    kept, other = _sides(answer, state, tension)
    refuse_verdict(answer.args.outcome, kept, other, answer.actor)
    if answer.args.outcome == Verdict.MERGE:
        return _merge(answer, state, tension, kept, other)
    if answer.args.outcome in {Verdict.SUPERSEDE, Verdict.WRONG_SOURCE} and kept.status != Status.ACTIVE:
        raise RefusedError(f"{kept.id} is {kept.status} and cannot be kept", hint="keep the other one")
    opened = [one for one in state.tensions.values() if one.status == TensionStatus.OPEN]
    note = answer.args.note or ""
    actor, now = answer.actor, answer.now
    verdict = answer.args.outcome
    changes = plan_verdict(verdict, tension, kept, other, opened, note=note, actor=actor, now=now)
    return answer.settled(state, changes, [kept, other], keep=kept.id)


def _sides(answer: GivenAnswer, state: State, tension: Tension) -> tuple[Fact, Fact]:
    """Return the fact that stays and the other one; the newer one stays unless somebody says otherwise."""
    older, newer = state.facts[tension.fact1], state.facts[tension.fact2]
    if answer.args.keep is None:
        if answer.args.outcome == Verdict.WRONG_SOURCE:
            raise BadValueError("wrong-source needs --keep", hint=f"--keep {older.id} or --keep {newer.id}")
        return newer, older
    for one, other in ((older, newer), (newer, older)):
        if answer.args.keep in {one.id, one.id.partition("/")[2]}:
            return one, other
    raise BadValueError(f"{answer.args.keep} is no side of {tension.id}", hint=f"--keep {older.id} or {newer.id}")


def _merged(answer: GivenAnswer) -> str | None:
    return answer.args.text or answer.args.note


def _merge(answer: GivenAnswer, state: State, tension: Tension, kept: Fact, other: Fact) -> Decided:
    if not _merged(answer):
        raise BadValueError("a merge needs the sentence that says both", hint="--text 'both in one sentence'")
    decided = answer.write(merged_write(tension, kept, other, str(_merged(answer)), answer.actor)).decide(state)
    made = answer.made_by(decided)
    now, note = answer.now, answer.args.note or ""
    changes = [one for one in decided.changes if not (isinstance(one, TensionResolved) and one.id == tension.id)]
    if other.entity != kept.entity and other.status == Status.ACTIVE:
        reason = "merged with the other one"
        ends = end_of(other, now)
        changes.append(FactSuperseded(id=other.id, by=made, at=now, was_wrong=False, reason=reason, **ends))
        closed = {one.id for one in changes if isinstance(one, TensionResolved)} | {tension.id}
        beside = [one for one in state.tensions.values() if one.id not in closed]
        changes += close_tensions(beside, {other.id}, "superseded", now)
    changes.append(close(Verdict.MERGE, tension, kept, other, note=note, now=now))
    return answer.settled(state, tuple(changes), [kept, other], keep=made, made=made)
