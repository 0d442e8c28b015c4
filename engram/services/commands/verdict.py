"""The command `feedback`: somebody who was given a fact says whether it was useful or wrong."""

from typing import Literal

from engram.errors import RefusedError
from engram.model.changes.change import FactRated
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.fact import Status
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import read_args

_NOT_GIVEN = frozenset({Status.PENDING})


class RateArgs(Value):
    """What `feedback` takes."""

    id: str
    verdict: Literal["useful", "wrong"]


class Rate:
    """`feedback`: counted; it moves how sure the fact is taken to be and where it stands, and retires nothing."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        self._now = context.now
        self._args = read_args(RateArgs, envelope)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(fact_ids=frozenset({self._args.id.casefold()}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        fact = get_fact(state, self._args.id)
        if fact.status in _NOT_GIVEN:
            raise RefusedError(f"{fact.id} waits for review: nobody was given it", hint="engram review", id=fact.id)
        is_useful = self._args.verdict == "useful"
        rated = FactRated(id=fact.id, at=self._now, useful=int(is_useful), wrong=int(not is_useful))
        return Decided(done(self._envelope, id=fact.id, reason=f"rated {self._args.verdict}"), (rated,))
