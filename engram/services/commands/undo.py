"""The command `undo`: what the caller did last is taken back, or what a command did whose id is given.

A kind of command joins by leaving an `Undoable` (see model.undoable) and by a planner here.
"""

from collections.abc import Callable
from collections.abc import Sequence
from typing import assert_never

from engram.errors import RefusedError
from engram.errors import UnknownCommandError
from engram.model.changes.change import Change
from engram.model.changes.change import CommandUndone
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import HandoffSent
from engram.model.changes.change import HandoffSettled
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionResolved
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.rearrangement import Verb
from engram.model.changes.state import State
from engram.model.changes.undoable import ADD
from engram.model.changes.undoable import ALIAS
from engram.model.changes.undoable import ANSWER
from engram.model.changes.undoable import CORRECT
from engram.model.changes.undoable import EXCLUDE
from engram.model.changes.undoable import FORGET
from engram.model.changes.undoable import NOTICE
from engram.model.changes.undoable import OPEN
from engram.model.changes.undoable import RATE
from engram.model.changes.undoable import RETRACT
from engram.model.changes.undoable import SEND
from engram.model.changes.undoable import WRITE
from engram.model.changes.undoable import Undoable
from engram.model.commands.command import Envelope
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.entities.entity_moves_undo import plan_move_back
from engram.rules.entities.entity_moves_undo import plan_unadd
from engram.rules.entities.entity_moves_undo import plan_unalias
from engram.rules.entities.entity_moves_undo import plan_unmerge
from engram.rules.entities.entity_moves_undo import plan_unsplit
from engram.rules.trust.authority import authority_of
from engram.rules.trust.authority import require_authority
from engram.rules.writes.write_undo import is_erased
from engram.rules.writes.write_undo import plan_unwrite
from engram.services.commands.answers.answer_drafts import refuse_twin
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import read_args
from engram.services.commands.entities.merge import merge_changes
from engram.services.commands.entities.open_session import keep_apart_again
from engram.services.commands.entities.open_session import opened_sessions
from engram.services.commands.entities.split import keys_around
from engram.services.commands.entity_names import decided
from engram.services.commands.entity_names import refuse_others
from engram.services.commands.review_additions import noticed_in
from engram.services.commands.review_additions import only_counted
from engram.services.commands.review_additions import unnotice
from engram.services.commands.review_additions import unsay_tension
from engram.services.commands.sent_handoffs import taken_back


class UndoArgs(Value):
    """What `undo` takes."""

    id: str | None = None  # of the command; None: the caller's last one that can be taken back


def takes_latest(envelope: Envelope) -> bool:
    """Tell whether a command takes back the caller's last one, whichever that is."""
    return envelope.kind == _UNDO and envelope.args.get("id") is None


class UndoCommand:
    """`undo`: takes a command back; a person's only for a person."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        refuse_others(envelope)
        self._envelope = envelope
        self._context = context
        self._id = read_args(UndoArgs, envelope).id

    def keys(self) -> SliceKeys:
        """See Decider."""
        if self._id is None:
            return SliceKeys(undoable_latest=frozenset({self._envelope.actor.value}))
        return SliceKeys(undoable_ids=frozenset({self._id}), command_ids=frozenset({self._id}))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        found = self._find(state)
        names = {change.entity.path for change in found.changes if isinstance(change, EntityCreated)}
        names |= {change.path for change in found.changes if isinstance(change, EntityAliased)}
        around = keys_around(found)
        facts, tensions = _touched(found)
        facts |= {side for one in tensions if one in state.tensions for side in state.tensions[one].sides}
        return around._replace(
            names=around.names | names,
            whole=around.whole | names,
            fact_ids=around.fact_ids | facts,
            tension_ids=around.tension_ids | tensions,
            observation_ids=around.observation_ids | noticed_in(found),
            handoff_ids=_handoffs(found),
            sessions=opened_sessions(found),
            statements=_statements(state, facts),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        found = self._find(state)
        require_authority(self._envelope.actor, *_vouched_for_since(state, found))
        changes = PLANNERS[found.kind](state, found, self._context)
        _refuse_twins(state, changes)
        path = next(iter(opened_sessions(found)), None)
        path = path or next((one.rearrangement.path for one in changes if isinstance(one, EntitiesRearranged)), None)
        path = path or next((_about(one) for one in changes if isinstance(one, _AboutOne)), None)
        path = path or next(iter(noticed_in(found)), None)
        undone = CommandUndone(id=found.id, at=self._context.now)
        said = f"taken back: {found.kind}" if changes else only_counted(found)
        if self._id is None and found != self._own(state)[0]:
            said += "; what came after it was erased for good"
        return decided(self._envelope, path or "", said, *changes, undone, command=found.id)

    def _find(self, state: State) -> Undoable:
        if self._id is None:
            return self._latest(state)
        found = state.undoables.get(self._id)
        if found is None and self._id not in state.commands:
            raise UnknownCommandError(f"no command {self._id!r} was given here", id=self._id)
        if found is None:
            kind = state.commands[self._id].kind
            raise RefusedError(f"{kind} cannot be taken back by undo", hint=_OTHERWISE.get(kind, _ONLY))
        if found.undone_at is not None:
            raise RefusedError(f"{found.kind} was taken back already", hint=_ONLY, id=found.id)
        if found.kind == FORGET:
            raise RefusedError(_FORGOTTEN, hint=_ONLY, id=found.id)
        if found.actor == Actor.USER and self._envelope.actor != Actor.USER:
            raise RefusedError("a person asked for that", hint="a person takes it back: engram undo COMMAND_ID")
        return found

    def _latest(self, state: State) -> Undoable:
        own = self._own(state)
        if not own:
            raise RefusedError("nothing stands that you could take back", hint=_ONLY)
        standing = next((one for one in own if one.kind != FORGET and not is_erased(one)), None)
        if standing is None:
            raise RefusedError("what you did last was erased for good, and nothing before it stands", hint=_ONLY)
        if own[0].kind == FORGET:
            raise RefusedError(_FORGOTTEN, hint=f"engram undo {standing.id} takes back the {standing.kind} before it")
        return standing

    def _own(self, state: State) -> list[Undoable]:
        """Return what the caller did that stands, the latest first."""
        actor = self._envelope.actor
        stands = (one for one in state.undoables.values() if one.undone_at is None and one.kind != _UNDO)
        return sorted((one for one in stands if one.actor == actor), key=lambda one: -one.number)


Planner = Callable[[State, Undoable, Context], list[Change]]

_AboutOne = FactRetracted | FactRestored | FactRated | HandoffSettled | TensionResolved | ObservationResolved
_UNDO = "undo"
_FORGOTTEN = "what was forgotten is erased for good: that cannot be undone"
_ONLY = (
    "undo takes back what engram write, correct, retract, feedback, observe, tension add, handoff send, inbox, "
    "session open and entity did"
)
_OTHERWISE = {
    WRITE: "engram retract ID --reason R",
    CORRECT: "engram correct ID --fact T",
    RETRACT: "engram write T",
    "review-answer": "engram review undo",
}


def _rearranged_back(state: State, found: Undoable, context: Context) -> list[Change]:
    done, now = found.rearrangement, context.now
    assert done is not None  # noqa: S101 - of these kinds
    match done.verb:
        case Verb.MERGE:
            return list(plan_unmerge(state, found, now))
        case Verb.UNMERGE:
            return merge_changes(state, get_entity(state, done.former or ""), get_entity(state, done.path), context)
        case Verb.MOVE:
            return _as_change(plan_move_back(state, done, found.at), context)
        case Verb.SPLIT:
            return _as_change(plan_unsplit(state, done), context)
        case Verb.UNSPLIT | Verb.NAMES:
            raise RefusedError("that cannot be taken back", hint="engram entity split, engram entity add")
        case _:
            assert_never(done.verb)


def _about(change: _AboutOne) -> str:
    return change.fact.id if isinstance(change, FactRestored) else change.id


def _handoffs(found: Undoable) -> frozenset[str]:
    sent = {change.handoff.id for change in found.changes if isinstance(change, HandoffSent)}
    return frozenset(sent | {change.id for change in found.changes if isinstance(change, HandoffSettled)})


def _touched(found: Undoable) -> tuple[set[str], set[str]]:
    """Return the ids of the facts and of the tensions that were changed."""
    facts: set[str] = set()
    tensions: set[str] = set()
    for change in found.changes:
        match change:
            case FactRecorded() | FactRestored():
                facts.add(change.fact.id)
            case FactSuperseded() | FactRetracted() | FactRated():
                facts.add(change.id)
            case TensionOpened():
                tensions.add(change.tension.id)
            case TensionResolved():
                tensions.add(change.id)
            case _:
                continue
    return facts, tensions


def _vouched_for_since(state: State, found: Undoable) -> list[Fact]:
    """Return the facts that it made and that are trusted more now: who only made them may not take that back."""
    made = {change.fact.id: change.fact for change in found.changes if isinstance(change, FactRecorded)}
    standing = ((state.facts[key], fact) for key, fact in made.items() if key in state.facts)
    return [fact for fact, as_made in standing if authority_of(fact) > authority_of(as_made)]


def _statements(state: State, fact_ids: set[str]) -> tuple[tuple[str, str, str, str], ...]:
    """Return the keys of what may have been said again since, of those of the facts that are known."""
    known = [state.facts[key] for key in sorted(fact_ids & state.facts.keys())]
    return tuple((fact.entity, fact.fingerprint, fact.skeleton, "") for fact in known)


def _refuse_twins(state: State, changes: Sequence[Change]) -> None:
    """Refuse to let a fact hold again that was said again since."""
    gone = [change.id for change in changes if isinstance(change, FactRetracted)]
    for change in changes:
        if isinstance(change, FactRestored) and change.fact.status == Status.ACTIVE:
            refuse_twin(state, change.fact, gone=gone)


def _unadd(state: State, found: Undoable, context: Context) -> list[Change]:
    made = next(change.entity for change in found.changes if isinstance(change, EntityCreated))
    return _as_change(plan_unadd(state, made), context)


def _unalias(state: State, found: Undoable, context: Context) -> list[Change]:
    given = next(change for change in found.changes if isinstance(change, EntityAliased))
    return _as_change(plan_unalias(state, state.resolve(given.path) or given.path, given.alias), context)


def _as_change(done: Rearrangement, context: Context) -> list[Change]:
    return [EntitiesRearranged(rearrangement=done, at=context.now)]


def _unwrite(state: State, found: Undoable, context: Context) -> list[Change]:
    return list(plan_unwrite(state, found, actor=found.actor, now=context.now))


def _unrate(_state: State, found: Undoable, context: Context) -> list[Change]:
    given = [change for change in found.changes if isinstance(change, FactRated)]
    return [FactRated(id=one.id, at=context.now, useful=-one.useful, wrong=-one.wrong) for one in given]


def _unhand(state: State, found: Undoable, context: Context) -> list[Change]:
    given = (change for change in found.changes if isinstance(change, HandoffSent | HandoffSettled))
    return [taken_back(state, one, context) for one in given]


PLANNERS: dict[str, Planner] = {
    **dict.fromkeys((WRITE, CORRECT, RETRACT), _unwrite),
    ADD: _unadd,
    ALIAS: _unalias,
    RATE: _unrate,
    EXCLUDE: unsay_tension,
    NOTICE: unnotice,
    OPEN: keep_apart_again,
    **dict.fromkeys((SEND, ANSWER), _unhand),
    "entity-rename": _rearranged_back,
    "entity-archive": _rearranged_back,
    "entity-restore": _rearranged_back,
    "entity-merge": _rearranged_back,
    "entity-split": _rearranged_back,
    _UNDO: _rearranged_back,
}
