"""The command `session-open`: what was stated in a session that is kept apart is everybody's after all; its undo."""

from engram.base.counts import counted
from engram.errors import RefusedError
from engram.errors import UnknownSessionError
from engram.model.changes.change import Change
from engram.model.changes.change import FactRestored
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionResolved
from engram.model.changes.session_changes import SessionKindSet
from engram.model.changes.state import State
from engram.model.changes.undoable import Undoable
from engram.model.commands.command import Envelope
from engram.model.conversation import Session
from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.observation import TAKEN_BACK
from engram.model.tension import TensionStatus
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args
from engram.services.commands.entities.entity import check_session_name
from engram.services.commands.entities.merge import exclude
from engram.services.commands.entities.merge import slotted
from engram.services.commands.entities.merge import tension_of
from engram.services.visibility import scope_in


class OpenSessionArgs(Value):
    """What `session open` takes."""

    name: str


class OpenSession:
    """`session open`: facts that were stated in a session that is kept apart become shared, and it is like any other.

    A fact that is shared already, in the same words, stays where it is. What contradicts a shared one opens a tension.
    """

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError, or RefusedError to anybody but a person."""
        if envelope.actor != Actor.USER:
            raise RefusedError("a person opens a session", hint="engram session open NAME, as a person")
        self._envelope = envelope
        self._context = context
        self._name = read_args(OpenSessionArgs, envelope).name
        check_session_name(self._name)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(sessions=frozenset({self._name}), scopes=frozenset({f"session:{self._name}"}))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following: all that is said of the same things, to be compared with."""
        own = self._own(state)
        return SliceKeys(
            names=frozenset(fact.entity for fact in own),
            whole=frozenset(fact.entity for fact in own),
            fact_ids=frozenset(fact.id for fact in own),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        session = state.sessions.get(self._name)
        if session is None:
            raise UnknownSessionError(f"there is no session {self._name!r}", hint="engram session list")
        if session.kind is None:
            return Decided(done(self._envelope, id=session.name, reason="already open"))
        now = self._context.now
        said = {(fact.entity, fact.fingerprint) for fact in state.facts.values() if _is_shared(fact)}
        own = [one for one in self._own(state) if not (_is_active(one) and (one.entity, one.fingerprint) in said)]
        moved = [FactRestored(fact=one.model_copy(update={"scope": SHARED}), at=now) for one in own]
        opened = self._tensions(state, own)
        reason = f"open to all your sessions now, with {counted(len(moved), 'fact')}"
        reason += f"; {len(opened)} contradict what is known: engram tension list" if opened else ""
        result = done(self._envelope, id=session.name, reason=reason, details={"facts": len(moved)})
        result = result.model_copy(update={"tensions": tuple(one.tension.id for one in opened)})
        kind = SessionKindSet(name=session.name, apart=None, before=session.kind)
        return Decided(result, (kind, *moved, *opened))

    def _own(self, state: State) -> list[Fact]:
        scope = f"session:{self._name}"
        return sorted((one for one in state.facts.values() if one.scope == scope), key=lambda one: one.id)

    def _tensions(self, state: State, own: list[Fact]) -> list[TensionOpened]:
        opened: list[TensionOpened] = []
        for fact in slotted(own):
            there = [one for one in slotted(state.facts.values()) if one.entity == fact.entity and _is_shared(one)]
            for other in sorted(there, key=lambda one: one.id):
                if not exclude(fact, other):
                    continue
                number = state.tension_count + len(opened) + 1
                opened.append(tension_of(fact, other, number, self._context.now))
        return opened


def opened_sessions(found: Undoable) -> frozenset[str]:
    """Return the names of the sessions that a command opened."""
    return frozenset(change.name for change in found.changes if isinstance(change, SessionKindSet))


def keep_apart_again(state: State, found: Undoable, context: Context) -> list[Change]:
    """Return the changes that keep a session apart again, with the facts that were opened with it.

    What was said in it since stays everybody's.
    """
    opened = next(change for change in found.changes if isinstance(change, SessionKindSet))
    session: Session = state.sessions[opened.name].model_copy(update={"kind": opened.before})
    ids = [change.fact.id for change in found.changes if isinstance(change, FactRestored)]
    facts = [state.facts[key] for key in ids if state.facts[key].scope == SHARED]
    back = [one.model_copy(update={"scope": scope_in(session)}) for one in facts]
    tensions = [one.tension.id for one in found.changes if isinstance(one, TensionOpened)]
    return [
        SessionKindSet(name=opened.name, apart=opened.before, before=None),
        *(FactRestored(fact=one, at=context.now) for one in back),
        *(
            TensionResolved(id=key, resolution=TAKEN_BACK, at=context.now)
            for key in tensions
            if state.tensions[key].status == TensionStatus.OPEN
        ),
    ]


def _is_active(fact: Fact) -> bool:
    return fact.status == Status.ACTIVE


def _is_shared(fact: Fact) -> bool:
    return _is_active(fact) and fact.scope == SHARED
