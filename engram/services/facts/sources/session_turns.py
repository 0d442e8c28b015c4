"""Sessions with what came of them, and the turns of one, each with what became of it."""

from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.errors import BadValueError
from engram.model.conversation import Turn
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.overview import SessionSum
from engram.ports.overview import TurnYield
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.sources.sessions import get_session
from engram.services.facts.sources.sessions import list_sessions
from engram.services.visibility import Caller
from engram.services.visibility import may_see
from engram.services.visibility import visible_scopes

FACTS, QUARANTINED, UNREAD, NOTHING = "facts", "quarantined", "unread", "nothing"
OUTCOMES: Final = (FACTS, QUARANTINED, UNREAD, NOTHING)
MOST_CHARS: Final = 20_000  # of one turn that are shown
_READER: Final = "extraction"  # consumer of the watermarks that say how far a session was read
_NO_TURNS: Final = SessionSum(0, 0, None, None, 0)


class TurnQuery(NamedTuple):
    """Which turns of a session are asked for."""

    session: str
    outcome: str = ""  # one of OUTCOMES; "": whatever became of them
    since: int = 0  # ordinal of the first
    most: int = 50


def session_list(database: FactDatabase, caller: Caller | None) -> list[dict[str, Any]]:
    """Return the sessions that a caller may read, the latest first, with their turns and what was drawn from them."""
    sums = database.session_sums(_scopes(caller))
    rows = [
        {**view.as_json(), **_sum(sums.get(view.session.name, _NO_TURNS))} for view in list_sessions(database, caller)
    ]
    return sorted(rows, key=lambda row: (row["last_at"] or row["created_at"], row["name"]), reverse=True)


def session_turns(database: FactDatabase, query: TurnQuery, moment: Moment) -> dict[str, Any]:
    """Return one session with some of its turns, and how many there are of each outcome.

    The outcome of a turn is `facts` (that were drawn from it, beside it in the answer), `quarantined` (it tries to give
    orders), `unread` (no heartbeat has come to it), or `nothing`. A text of more than `MOST_CHARS` is cut, and `chars`
    says how long it is. Raises BadValueError for another one, and
    UnknownSessionError.
    """
    if query.outcome not in {"", *OUTCOMES}:
        raise BadValueError(f"{query.outcome!r} is no outcome of a turn", hint=f"one of {', '.join(OUTCOMES)}")
    caller = moment.caller
    view = get_session(database, query.session, caller)
    name = view.session.name
    unread = int(database.watermarks(_READER).get(f"session:{name}", "0"))
    yields = [one for one in database.turn_yields(name, _scopes(caller)) if _may_read(caller, one.scope, name)]
    outcomes = {one.id: _outcome(one, unread) for one in yields}
    chosen = [one for one in yields if one.ordinal >= query.since and query.outcome in {"", outcomes[one.id]}]
    shown = database.find_turns(one.id for one in chosen[: query.most])
    drawn = _drawn(database, [turn for turn in shown if outcomes[turn.id] == FACTS], moment)
    counts = {outcome: sum(one == outcome for one in outcomes.values()) for outcome in OUTCOMES}
    following = chosen[query.most].ordinal if len(chosen) > query.most else None
    return {
        "session": {**view.as_json(), **_sum(database.session_sums(_scopes(caller)).get(name, _NO_TURNS))},
        "counts": counts,
        "turns": [_turn(turn, outcomes[turn.id], drawn.get(turn.id, [])) for turn in shown],
        "next": following,
    }


def _outcome(turn: TurnYield, unread: int) -> str:
    if turn.is_quarantined:
        return QUARANTINED
    if turn.facts:
        return FACTS
    return UNREAD if turn.ordinal >= unread else NOTHING


def _drawn(database: FactDatabase, turns: list[Turn], moment: Moment) -> dict[str, list[dict[str, Any]]]:
    """Return by turn the facts that were drawn from it and that the caller may see."""
    ids = database.ids_drawn_from(turn.id for turn in turns)
    if not ids:
        return {}
    facts = database.list_facts(FactFilter(ids=tuple(ids), status="all", scopes=_scopes(moment.caller)))
    found: dict[str, list[dict[str, Any]]] = {}
    for fact in fact_views(database, facts, moment):
        found.setdefault(fact["source"]["turn"], []).append(fact)
    return found


def _turn(turn: Turn, outcome: str, facts: list[dict[str, Any]]) -> dict[str, Any]:
    shown = {**turn.model_dump(mode="json"), "text": turn.text[:MOST_CHARS]}
    return {**shown, "chars": len(turn.text), "outcome": outcome, "facts": facts}


def _sum(one: SessionSum) -> dict[str, Any]:
    return {
        "quarantined": one.quarantined,
        "began_at": to_iso(one.began_at) if one.began_at else None,
        "last_at": to_iso(one.last_at) if one.last_at else None,
        "facts": one.facts,
    }


def _may_read(caller: Caller | None, scope: str, session: str) -> bool:
    return caller is None or may_see(caller, scope, session, raw=True)


def _scopes(caller: Caller | None) -> tuple[str, ...]:
    return () if caller is None else visible_scopes(caller)
