"""What of the state commands have to see: their keys put together, and looked up again while they ask for more."""

from collections.abc import Iterable
from collections.abc import Sequence

from engram.errors import EngramError
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Decider
from engram.services.commands.decider import Following


def load_state(
    database: FactDatabase, envelopes: Sequence[Envelope], deciders: Iterable[Decider | EngramError]
) -> State:
    """Return the part of the state that these commands need to see."""
    read = [decider for decider in deciders if not isinstance(decider, EngramError)]
    following = [decider for decider in read if isinstance(decider, Following)]
    keys = _joined(envelopes, [decider.keys() for decider in read])
    state = database.load_slice(keys)
    while following:
        more = _joined(envelopes, [keys, *(_further(decider, state) for decider in following)])
        if more == keys:
            break
        keys = more
        state = database.load_slice(keys)
    return state


def _further(decider: Following, state: State) -> SliceKeys:
    try:
        return decider.further_keys(state)
    except EngramError:
        return SliceKeys()  # deciding refuses it, and says why


def _joined(envelopes: Sequence[Envelope], wanted: Sequence[SliceKeys]) -> SliceKeys:
    return SliceKeys(
        names=frozenset().union(*(one.names for one in wanted)),
        fact_ids=frozenset().union(*(one.fact_ids for one in wanted)),
        command_ids=frozenset(envelope.id for envelope in envelopes).union(*(one.command_ids for one in wanted)),
        sessions=frozenset().union(*(one.sessions for one in wanted)),
        scopes=frozenset().union(*(one.scopes for one in wanted)),
        statements=tuple(dict.fromkeys(statement for one in wanted for statement in one.statements)),
        renewals=frozenset().union(*(one.renewals for one in wanted)),
        made_of=frozenset().union(*(one.made_of for one in wanted)),
        with_plans=any(one.with_plans for one in wanted),
        histories=frozenset().union(*(one.histories for one in wanted)),
        mentions=frozenset().union(*(one.mentions for one in wanted)),
        said_in=frozenset().union(*(one.said_in for one in wanted)),
        turn_ids=frozenset().union(*(one.turn_ids for one in wanted)),
        note_ids=frozenset().union(*(one.note_ids for one in wanted)),
        tension_ids=frozenset().union(*(one.tension_ids for one in wanted)),
        observation_ids=frozenset().union(*(one.observation_ids for one in wanted)),
        settlement_ids=frozenset().union(*(one.settlement_ids for one in wanted)),
        handoff_ids=frozenset().union(*(one.handoff_ids for one in wanted)),
        noticed=tuple(dict.fromkeys(one for keys in wanted for one in keys.noticed)),
        settled_of=frozenset().union(*(one.settled_of for one in wanted)),
        whole=frozenset().union(*(one.whole for one in wanted)),
        everybody=any(one.everybody for one in wanted),
        undoable_ids=frozenset().union(*(one.undoable_ids for one in wanted)),
        undoable_kinds=frozenset().union(*(one.undoable_kinds for one in wanted)),
        undoable_latest=frozenset().union(*(one.undoable_latest for one in wanted)),
    )
