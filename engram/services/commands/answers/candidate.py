"""What happens when somebody confirms a candidate: it is written as if it were said now, by the usual rules."""

from engram.model.changes.change import Change
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactRestored
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import SliceKeys
from engram.rules.writes.confirmation import is_vouched_for
from engram.rules.writes.plan import Plan
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.retraction import plan_retract
from engram.rules.writes.retraction import retired_by
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Situation
from engram.rules.writes.write_plan import plan_write
from engram.services.commands.answers.answer_drafts import refuse_twin
from engram.services.commands.decider import Context
from engram.services.commands.writes.slot_filling import compared
from engram.services.commands.writes.slot_filling import fill_slot
from engram.services.commands.writes.slot_filling import slot_names

CANDIDATE_VERDICTS = (Verdict.KEEP, Verdict.REJECT)
_SURE = 0.9  # confidence of what a person confirms, as of what a person writes
_TAKEN_OVER = (
    *("entity", "text", "category", "attribute", "value", "abstraction", "tags", "related", "scope", "trust"),
    *("derived_from", "valid_from", "valid_from_precision", "valid_to", "valid_to_precision"),
)


def belief_keys(state: State, wanted: str) -> SliceKeys:
    """Return what has to be seen besides the candidate of an id, full or short; nothing when it is none."""
    found = [fact for key, fact in state.facts.items() if wanted in {key, key.partition("/")[2]}]
    waiting = [fact for fact in found if fact.status == Status.CANDIDATE]
    draft_of = {fact.id: _draft(fact, fact.source, fact.confidence) for fact in waiting}
    return SliceKeys(
        statements=tuple(
            (fact.entity, fact.fingerprint, fact.skeleton, slot)
            for fact in waiting
            for slot in slot_names(draft_of[fact.id])
        ),
    )


def plan_belief(state: State, candidate: Fact, source: Source, context: Context) -> Plan:
    """Return what believing a candidate does; `source` is who confirms it: a person makes it trusted.

    Raises RefusedError while an active fact says the same.
    """
    refuse_twin(state, candidate)
    confidence = max(candidate.confidence, _SURE) if source.actor == Actor.USER else candidate.confidence
    entity = state.entities[candidate.entity]
    trust = Trust.TRUSTED if is_vouched_for(candidate, source.actor) else candidate.trust
    analysis = Analysis(candidate.fingerprint, candidate.skeleton, trust, single_valued=False)
    draft, analysis = fill_slot(_draft(candidate, source, confidence), analysis, entity)
    situation = Situation(
        entity=entity,
        known=compared(state, entity, draft, analysis),
        tension_count=state.tension_count,
        now=context.now,
        zone=context.zone,
        no_conflict=frozenset(tension.pair for tension in state.tensions.values() if tension.pair),
        beside=state.facts_to_end(),
        usages=state.usages,
    )
    plan = plan_write(draft, analysis, situation)
    settled = close_tensions(list(state.tensions.values()), retired_by(plan.changes), "superseded", context.now)
    changes = [_where_said(change, candidate, source) for change in plan.changes]
    return plan._replace(changes=(*changes, *settled))


def plan_answer(
    state: State, candidate: Fact, actor: Actor, context: Context, *, note: str | None, is_kept: bool
) -> tuple[Change, ...]:
    """Return the changes that a review's answer makes: the candidate is believed, or taken back for good."""
    if is_kept:
        return plan_belief(state, candidate, Source(actor=actor), context).changes
    return plan_retract(candidate, [], reason=note or "rejected in review", actor=actor, now=context.now)


def _where_said(change: Change, candidate: Fact, source: Source) -> Change:
    """Return a change of the candidate with where that was said: whoever confirms it has not said it first."""
    if isinstance(change, FactRestored) and change.fact.id == candidate.id:
        return change.model_copy(update={"fact": change.fact.model_copy(update={"source": candidate.source})})
    if isinstance(change, FactConfirmed) and change.id == candidate.id:
        return change.model_copy(update={"source": source})
    return change


def _draft(candidate: Fact, source: Source, confidence: float) -> Draft:
    fields = {name: getattr(candidate, name) for name in _TAKEN_OVER}
    return Draft(**fields, source=source, confidence=confidence)
