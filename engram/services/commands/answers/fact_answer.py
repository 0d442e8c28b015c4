"""An answer to a fact that waits: a candidate, or one in quarantine."""

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.changes.change import FactRestored
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import require_person
from engram.rules.writes.retraction import plan_retract
from engram.services.commands.answers.answer_drafts import refuse_above_sources
from engram.services.commands.answers.answer_drafts import refuse_twin
from engram.services.commands.answers.candidate import CANDIDATE_VERDICTS
from engram.services.commands.answers.candidate import belief_keys
from engram.services.commands.answers.candidate import plan_answer
from engram.services.commands.answers.given_answer import GivenAnswer
from engram.services.commands.decider import Decided

_QUARANTINE_VERDICTS = (Verdict.RELEASE, Verdict.DISMISS)


def fact_keys(answer: GivenAnswer, state: State) -> SliceKeys:
    """Return what of the state an answer to a fact needs besides it."""
    one = answer.args.id
    known = [state.facts[key] for key in sorted(state.facts) if one in {key, key.partition("/")[2]}]
    said = tuple((fact.entity, fact.fingerprint, fact.skeleton, "") for fact in known)
    sources = frozenset(key for fact in known for key in fact.derived_from)
    statements = (*said, *belief_keys(state, one).statements)
    return SliceKeys(fact_ids=sources, observation_ids=sources, statements=statements)


def settle_fact(answer: GivenAnswer, state: State, fact: Fact) -> Decided:
    """Settle a fact that waits: a candidate is kept or goes, a quarantined one is released or dismissed."""
    if fact.status == Status.CANDIDATE:
        answer.check_verdict("a candidate", CANDIDATE_VERDICTS)
        require_person(answer.actor, f"{fact.id} waits")
        is_kept, note = answer.args.outcome == Verdict.KEEP, answer.args.note
        changes = plan_answer(state, fact, answer.actor, answer.context, note=note, is_kept=is_kept)
        return answer.settled(state, changes, [fact])
    if fact.status != Status.PENDING:
        refusal = RefusedError if answer.args.outcome in _QUARANTINE_VERDICTS else BadValueError
        raise refusal(f"{fact.id} is {fact.status}, it does not wait", hint=_otherwise(fact))
    answer.check_verdict("a quarantined fact", _QUARANTINE_VERDICTS)
    note, now, actor = answer.args.note, answer.now, answer.actor
    require_person(actor, f"{fact.id} is quarantined")
    if answer.args.outcome == Verdict.DISMISS:
        reason = note or "dismissed in review"
        opened = list(state.tensions.values())
        return answer.settled(state, plan_retract(fact, opened, reason=reason, actor=actor, now=now), [fact])
    refuse_twin(state, fact)
    refuse_above_sources(state, fact)
    update = {"status": Status.ACTIVE, "trust": Trust.UNVERIFIED, "reason": None}
    return answer.settled(state, (FactRestored(fact=fact.model_copy(update=update), at=now),), [fact])


def _otherwise(fact: Fact) -> str:
    """Return what can be done with a fact that does not wait."""
    if fact.status == Status.ACTIVE:
        return f"engram retract {fact.id} WHY, engram correct {fact.id} TEXT, engram confirm {fact.id}"
    return f"engram show {fact.id}"
