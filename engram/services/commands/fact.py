"""The commands that touch a fact that is there: retract, confirm, access, pin, unpin; and tensions by hand."""

from typing import Annotated

from pydantic import Field

from engram.base.text import clean_statement
from engram.errors import BadValueError
from engram.errors import GivesOrdersError
from engram.errors import RefusedError
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import TensionOpened
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.tension import Tension
from engram.model.value import Value
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.model.vocabulary import ENDS_UNDO
from engram.ports.database import SliceKeys
from engram.rules.erasure import FORGOTTEN
from engram.rules.trust.authority import in_own_name
from engram.rules.trust.authority import require_authority
from engram.rules.trust.authority import require_person
from engram.rules.writes.confirmation import plan_vouching
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.retraction import plan_retract
from engram.rules.writes.succession import lifted_ends
from engram.rules.writes.tensions import pair_of
from engram.rules.writes.write_undo import can_be_unwritten
from engram.services.commands.answers.candidate import belief_keys
from engram.services.commands.answers.candidate import plan_belief
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import read_args

MAX_REASON_CHARS = 1000  # of why a fact is taken back, or two cannot both hold
_TRUSTED = "trusted from now on"
_RETIRED = frozenset({Status.SUPERSEDED, Status.RETRACTED})


class FactArgs(Value):
    """What a command about one fact takes."""

    id: str
    reason: Annotated[str, Field(max_length=MAX_REASON_CHARS)] = ""
    source: Source | None = None
    undoable: bool = False  # of `retract`, by hand: `undo` can take it back


class ForgetArgs(Value):
    """What `forget` takes."""

    ids: tuple[str, ...]
    former_head: str  # hash of the journal's last line before it is rewritten
    reason: Annotated[str, Field(max_length=MAX_REASON_CHARS)] = ""


class _FactCommand:
    def __init__(self, envelope: Envelope, context: Context) -> None:
        self._envelope = envelope
        self._context = context
        self._now = context.now
        self._args = read_args(FactArgs, envelope)

    def keys(self) -> SliceKeys:
        """See Decider."""
        asked = self._args.id  # perhaps the name of an entity
        return SliceKeys(fact_ids=frozenset({asked.casefold()}), names=frozenset({asked}))

    def _live(self, state: State) -> Fact:
        fact = get_fact(state, self._args.id)
        if fact.status in _RETIRED:
            follower = f"; {fact.superseded_by} took its place" if fact.superseded_by else ""
            raise RefusedError(f"{fact.id} is {fact.status}{follower}", hint=f"engram history {fact.id}", id=fact.id)
        return fact


class Retract(_FactCommand):
    """`retract`: take a fact back, with a reason; what was to end where it begins goes on.

    What a person said a person takes back.
    """

    def keys(self) -> SliceKeys:
        """See Decider."""
        return super().keys()._replace(with_plans=True)

    def decide(self, state: State) -> Decided:
        """See Decider."""
        reason = redact(clean_statement(self._args.reason)).text
        if not reason:
            raise BadValueError("a retraction needs a reason", hint="engram retract ID --reason 'why'")
        fact = self._live(state)
        require_authority(self._envelope.actor, fact)
        tensions = list(state.tensions.values())
        retracted = plan_retract(fact, tensions, reason=reason, actor=self._envelope.actor, now=self._now)
        changes = (*retracted, *lifted_ends(fact, state.facts, self._now))
        told = {CAN_BE_UNDONE: True} if self._args.undoable and can_be_unwritten(state, changes) else {}
        return Decided(done(self._envelope, id=fact.id, reason=f"retracted: {reason}", details=told), changes)


class Forget:
    """`forget`: take every live one of some facts back, and note what the journal was before it was rewritten.

    The texts go afterwards; the record of this command stays in their place.
    """

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Take the command."""
        self._envelope = envelope
        self._context = context
        self._args = read_args(ForgetArgs, envelope)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(fact_ids=frozenset(self._args.ids))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        actor, now = self._envelope.actor, self._context.now
        if actor != Actor.USER:
            raise RefusedError("only a person can have something forgotten", hint="engram forget ID --yes")
        reason = redact(clean_statement(self._args.reason)).text or FORGOTTEN
        live = [fact.id for key in self._args.ids if (fact := state.facts.get(key)) and fact.status not in _RETIRED]
        changes: tuple[Change, ...] = (
            *(FactRetracted(id=key, at=now, reason=reason, actor=actor) for key in live),
            *close_tensions(list(state.tensions.values()), set(live), "forgotten", now),
        )
        result = done(self._envelope, reason=f"forgotten: {reason}")
        details = {"facts": [*self._args.ids], "former_head": self._args.former_head, ENDS_UNDO: True}
        return Decided(result.model_copy(update={"details": details}), changes)


class Confirm(_FactCommand):
    """`confirm`: the fact still holds, counted like the same statement coming again; a candidate is believed.

    What a person confirms is trusted from then on.
    """

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        return belief_keys(state, self._args.id.casefold())

    def decide(self, state: State) -> Decided:
        """See Decider."""
        fact = self._live(state)
        source = in_own_name(self._args.source or Source(actor=self._envelope.actor), self._envelope.actor)
        if fact.status in {Status.CANDIDATE, Status.PENDING}:
            require_person(self._envelope.actor, f"{fact.id} waits")
        if fact.status == Status.CANDIDATE:
            plan = plan_belief(state, fact, source, self._context)
            told = {"status": plan.status, "superseded": plan.superseded, "tensions": plan.tensions}
            result = done(self._envelope, id=fact.id, reason=plan.reason)
            return Decided(result.model_copy(update=told), plan.changes)
        raised = plan_vouching(fact, self._envelope.actor, self._now)
        result = done(self._envelope, id=fact.id, reason=_TRUSTED if raised else "")
        result = result.model_copy(update={"status": Outcome.CONFIRMED})
        return Decided(result, (FactConfirmed(id=fact.id, at=self._now, source=source), *raised))


class Access(_FactCommand):
    """`access`: the fact was used."""

    def decide(self, state: State) -> Decided:
        """See Decider."""
        fact = get_fact(state, self._args.id)
        return Decided(done(self._envelope, id=fact.id), (FactAccessed(id=fact.id, at=self._now),))


class Pin(_FactCommand):
    """`pin`: keep the fact in the summary whatever its tier; what a person pins is trusted from then on."""

    pinned = True

    def decide(self, state: State) -> Decided:
        """See Decider."""
        fact = self._live(state)
        if fact.status == Status.CANDIDATE:
            raise RefusedError(f"{fact.id} is a candidate", hint=f"engram confirm {fact.id}", id=fact.id)
        usage = state.usages.get(fact.id)
        was = usage is not None and usage.pinned
        changes: tuple[Change, ...] = () if was == self.pinned else (FactPinned(id=fact.id, pinned=self.pinned),)
        raised = plan_vouching(fact, self._envelope.actor, self._now) if self.pinned else ()
        words = f"{'already ' if not changes else ''}{'pinned' if self.pinned else 'not pinned'}"
        words += f"; {_TRUSTED}" if raised else ""
        return Decided(done(self._envelope, id=fact.id, reason=words), (*changes, *raised))


class Unpin(Pin):
    """`unpin`: let the fact decay again."""

    pinned = False


class TensionArgs(Value):
    """What `tension add` takes."""

    text: Annotated[str, Field(max_length=MAX_REASON_CHARS)]
    fact1: str
    fact2: str
    undoable: bool = False  # by hand: `undo` can take it back


class AddTension:
    """`tension add`: somebody says that two facts exclude each other."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read, clean, redact and screen the sentence; raise BadValueError or GivesOrdersError."""
        self._envelope = envelope
        self._now = context.now
        self._args = read_args(TensionArgs, envelope)
        self._text = redact(clean_statement(self._args.text)).text
        if not self._text:
            raise BadValueError("a tension needs a sentence", hint="say why both cannot hold")
        if find_injection(self._text, context.patterns) is not None:
            raise GivesOrdersError("the sentence of a tension gives orders to the agent")

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(fact_ids=frozenset({self._args.fact1.casefold(), self._args.fact2.casefold()}))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following: whether somebody said of the two that both hold is known by their words."""
        sides = (get_fact(state, self._args.fact1), get_fact(state, self._args.fact2))
        return SliceKeys(statements=tuple((fact.entity, fact.fingerprint, fact.skeleton, "") for fact in sides))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        first, second = get_fact(state, self._args.fact1), get_fact(state, self._args.fact2)
        if first.id == second.id:
            raise RefusedError(f"{first.id} cannot be in tension with itself", hint="name two facts")
        for fact in (first, second):
            if fact.status == Status.CANDIDATE:
                raise RefusedError(f"{fact.id} is a candidate", hint=f"engram confirm {fact.id}", id=fact.id)
            if fact.status in _RETIRED:
                raise RefusedError(f"{fact.id} is {fact.status}: it is not believed", hint=f"engram history {fact.id}")
        for tension in state.tensions.values():
            if tension.pair == pair_of(first, second) and tension.outcome is not None:
                why = f"{tension.id} was settled: {tension.resolution}"
                raise RefusedError(why, hint=f"engram tension reopen {tension.id}", id=tension.id)
            if {tension.fact1, tension.fact2} == {first.id, second.id} and tension.status == "open":
                raise RefusedError(f"{tension.id} is open between these two already", hint="engram tension list")
        older, newer = sorted((first, second), key=lambda fact: (fact.recorded_at, fact.id))
        tension = Tension(
            id=f"tension-{state.tension_count + 1:04d}",
            text=self._text,
            fact1=older.id,
            fact2=newer.id,
            kind="manual",
            opened_at=self._now,
        )
        told = {CAN_BE_UNDONE: True} if self._args.undoable else {}
        return Decided(done(self._envelope, id=tension.id, details=told), (TensionOpened(tension=tension),))
