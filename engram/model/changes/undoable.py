"""What a command did, kept so that it can be taken back."""

from engram.model.changes.change import Change
from engram.model.changes.change import CommandUndone
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.rearrangement import Verb
from engram.model.changes.record import Decision
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.model.vocabulary import ENDS_UNDO

UNDO = "undo"  # the kind of the command that takes another one back
ADD = "entity-add"
ALIAS = "entity-alias"
WRITE = "write"
CORRECT = "correct"
RETRACT = "retract"
RATE = "feedback"
SEND = "handoff-send"
ANSWER = "handoff-answer"
EXCLUDE = "tension-add"
NOTICE = "observe"
OPEN = "session-open"
FORGET = "forget"  # kept, as nothing that was done before it is the last one; it cannot be taken back itself
BY_HAND = frozenset({WRITE, CORRECT, RETRACT, EXCLUDE, NOTICE})  # kinds that are kept where their decision says so
_OWN = frozenset(
    {ADD, ALIAS, RATE, SEND, ANSWER, OPEN}
)  # kinds of commands that are kept; a rearrangement is kept whatever command it comes of
_FINAL = frozenset({Verb.UNSPLIT, Verb.NAMES})
_ACTORS = frozenset({Actor.USER, Actor.AGENT})


class Undoable(Value):
    """One decision that can be taken back, or, of a forgetting, that cannot."""

    id: str  # of the command
    number: int  # in the order in which they were decided, from 1
    kind: str  # of the command
    actor: Actor  # who asked
    at: Instant  # when it was asked for
    changes: tuple[Change, ...]
    undone_at: Instant | None = None

    @property
    def rearrangement(self) -> Rearrangement | None:
        """What it rearranged, if it did."""
        return next((one.rearrangement for one in self.changes if isinstance(one, EntitiesRearranged)), None)


def undoable_of(decision: Decision, number: int) -> Undoable | None:
    """Return what is to be kept of a decision, or None when `undo` has nothing to do with it.

    Another command joins by its kind (`_OWN`) and by a planner in `services.commands.undo`.
    """
    verbs = {change.rearrangement.verb for change in decision.changes if isinstance(change, EntitiesRearranged)}
    result = decision.result
    is_own = result.kind in _OWN and decision.actor in _ACTORS and bool(decision.changes)
    is_act = result.status == Outcome.DONE and (bool(verbs - _FINAL) or is_own)
    is_by_hand = result.kind in BY_HAND and decision.actor in _ACTORS and CAN_BE_UNDONE in result.details
    is_final = result.kind == FORGET and ENDS_UNDO in result.details
    if not (is_act or is_by_hand or is_final):
        return None
    kept = tuple(change for change in decision.changes if not isinstance(change, CommandUndone))
    return Undoable(
        id=decision.result.command_id,
        number=number,
        kind=decision.result.kind,
        actor=decision.actor,
        at=decision.asked_at,
        changes=kept,
    )
