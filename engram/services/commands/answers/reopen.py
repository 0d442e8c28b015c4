"""The command that takes a decision of a review back: `review undo`, `tension reopen`."""

from engram.config.paths import SELF_FILE
from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import FactRestored
from engram.model.changes.change import ObservationReopened
from engram.model.changes.change import ReviewUndone
from engram.model.changes.change import TensionReopened
from engram.model.changes.settlement import Settlement
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import require_person
from engram.rules.writes.derivation import OBSERVATION
from engram.rules.writes.tension_outcome import plan_undo
from engram.services.commands.answers.answer_drafts import refuse_twin
from engram.services.commands.answers.given_answer import TENSION
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args

SETTLEMENT = "settlement-"  # how the id of a decision begins
LATEST = "*"


class UndoArgs(Value):
    """What `review undo` takes."""

    id: str | None = None  # of the decision, or of what was decided about; None: the latest decision


class Undo:
    """`review-undo`: take the latest decision back, or the one about this."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        self._now = context.now
        given = read_args(UndoArgs, envelope).id
        self._about = given.strip().casefold() if given else LATEST

    def keys(self) -> SliceKeys:
        """See Decider."""
        if self._about.startswith(SETTLEMENT):
            return SliceKeys(settlement_ids=frozenset({self._about}))
        tensions = frozenset({self._about}) if self._about.startswith(TENSION) else frozenset[str]()
        return SliceKeys(settled_of=frozenset({self._about}), tension_ids=tensions)

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        settlement = self._find(state)
        if settlement is None:
            return SliceKeys()
        tensions = {*settlement.closed, *([settlement.subject] if settlement.subject.startswith(TENSION) else ())}
        sides = {side for key in tensions & state.tensions.keys() for side in _sides(state, key)}
        facts = {life.id for life in settlement.before} | sides
        facts |= {settlement.made} if settlement.made and settlement.made != SELF_FILE else set()
        known = [state.facts[life.id] for life in settlement.before if life.id in state.facts]
        return SliceKeys(
            fact_ids=frozenset(facts),
            tension_ids=frozenset(tensions),
            observation_ids=frozenset({settlement.subject} if settlement.subject.startswith(OBSERVATION) else ()),
            settlement_ids=frozenset({settlement.id}),
            made_of=frozenset(life.id for life in settlement.before if life.trust == Trust.QUARANTINED),
            statements=tuple((fact.entity, fact.fingerprint, fact.skeleton, "") for fact in known),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        settlement = self._find(state)
        if settlement is None:
            raise self._nothing(state)
        if settlement.undone_at is not None:
            raise RefusedError(f"{settlement.id} was taken back already", hint="engram review list --settled")
        actor = self._envelope.actor
        if settlement.actor in PERSONS:
            require_person(actor, f"{settlement.id} was a person's decision")
        planned = plan_undo(settlement, state.facts, state.tensions, actor=actor, now=self._now)
        gone = [settlement.made] if settlement.makes and settlement.made else []
        for change in planned:
            if isinstance(change, FactRestored) and change.fact.status == Status.ACTIVE:
                refuse_twin(state, change.fact, gone=gone)
            if isinstance(change, FactRestored) and change.fact.trust == Trust.QUARANTINED:
                _refuse_if_used(state, change.fact)
        reopened: tuple[Change, ...] = ()
        if settlement.subject.startswith(TENSION):
            reopened = (TensionReopened(id=settlement.subject, at=self._now),)
        elif settlement.subject.startswith(OBSERVATION):
            reopened = (ObservationReopened(id=settlement.subject, at=self._now),)
        changes = (*planned, *reopened, ReviewUndone(id=settlement.id, at=self._now))
        details = {"settlement": settlement.id, "outcome": str(settlement.verdict)}
        details |= {"made": SELF_FILE} if settlement.made == SELF_FILE else {}
        return Decided(done(self._envelope, id=settlement.subject, reason=_said(settlement), details=details), changes)

    def _find(self, state: State) -> Settlement | None:
        """Return the decision that is meant: the latest one that stands, when it is named by what it is about."""
        if self._about.startswith(SETTLEMENT):
            return state.settlements.get(self._about)
        short = self._about
        found = [
            one
            for one in state.settlements.values()
            if one.undone_at is None and (short == LATEST or short in {one.subject, one.subject.partition("/")[2]})
        ]
        return max(found, key=lambda one: int(one.id.removeprefix(SETTLEMENT)), default=None)

    def _nothing(self, state: State) -> RefusedError:
        if self._about == LATEST:
            return RefusedError("no decision of a review stands that could be taken back", hint="engram review list")
        tension = state.tensions.get(self._about)
        why = f": {tension.resolution}" if tension is not None and tension.resolution else ""
        return RefusedError(f"nobody settled {self._about} in a review{why}", hint="engram review list --settled")


def _refuse_if_used(state: State, fact: Fact) -> None:
    """Refuse to quarantine a fact again of which something was made since that would stay believed."""
    if state.facts[fact.id].trust == Trust.QUARANTINED:
        return
    for one in (state.facts[key] for key in sorted(state.facts)):
        if fact.id in one.derived_from and one.trust != Trust.QUARANTINED:
            why = f"{one.id} was made of {fact.id} since"
            raise RefusedError(why, hint=f"engram retract {fact.id} --reason R", id=one.id)


def _sides(state: State, tension_id: str) -> tuple[str, str]:
    tension = state.tensions[tension_id]
    return tension.fact1, tension.fact2


def _said(settlement: Settlement) -> str:
    return f"taken back: {settlement.verdict}; {settlement.subject} waits again"
