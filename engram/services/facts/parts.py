"""What a fact was made of, with words and dates: the facts and observations, and the parts of those in turn."""

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.grounds import Grounds
from engram.rules.life.grounds import grounds_of
from engram.rules.life.grounds import still_stands
from engram.rules.temporal import standing
from engram.rules.writes.derivation import OBSERVATION
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.visibility import Caller
from engram.services.visibility import may_see

MADE_OF: Final = "made_of"  # key of a fact's view that holds its parts
_DEEPEST: Final = 6  # parts of parts that are followed; a principle of patterns of episodes has two


class _Told(NamedTuple):
    """What is known of the parts, as far as a caller may see it."""

    facts: Mapping[str, Fact]
    noticed: Mapping[str, Observation]
    moment: Moment
    withheld: str | None  # instead of words that give orders; None: a person may read them


def view_with_parts(database: FactDatabase, fact: Fact, moment: Moment, withheld: str | None = None) -> dict[str, Any]:
    """Return the fact as `fact_views` does, with `made_of`: its parts as `parts_of` tells them."""
    return {**fact_views(database, [fact], moment)[0], MADE_OF: parts_of(database, fact, moment, withheld)}


def parts_of(database: FactDatabase, fact: Fact, moment: Moment, withheld: str | None = None) -> list[dict[str, Any]]:
    """Return what a fact was made of, in the order in which it names it; to a caller, as far as it may see it.

    Each is {"id", "kind", "text", "date", "status", "holds", "made_of"}: `kind` is fact or observation, `date` since
    when it is true or was noticed, and `holds` tells whether it still speaks for the whole. `withheld` is said instead
    of the words of what gives orders to the agent, where no person reads it.
    """
    known = known_parts(database, [fact])
    named = {key for one in (fact, *known.values()) for key in one.derived_from if key.startswith(OBSERVATION)}
    noticed = {one.id: one for one in database.list_observations("all") if one.id in named} if named else {}
    facts = {key: one for key, one in known.items() if _is_seen(moment.caller, one.scope)}
    seen = {key: one for key, one in noticed.items() if _is_seen(moment.caller, one.scope)}
    return _parts(fact, _Told(facts, seen, moment, withheld), frozenset({fact.id}))


def grounds_of_each(database: FactDatabase, wholes: Iterable[Fact], caller: Caller | None) -> dict[str, Grounds]:
    """Return fact id -> how much it rests on, of those that were made of others; a caller's counts what it may see."""
    made = [one for one in wholes if _made_of([one])]
    known = {key: one for key, one in known_parts(database, made).items() if _is_seen(caller, one.scope)}
    return {one.id: grounds_of(one, known) for one in made}


def known_parts(database: FactDatabase, wholes: Iterable[Fact]) -> dict[str, Fact]:
    """Return id -> fact of all that facts were made of, of the parts of those, and of what replaced them."""
    known: dict[str, Fact] = {}
    wanted = _made_of(wholes)
    for _ in range(_DEEPEST):
        found = _read(database, wanted - known.keys())
        if not found:
            break
        known |= {fact.id: fact for fact in found}
        wanted = _made_of(found)
    return known | {fact.id: fact for fact in _read(database, {one.superseded_by or "" for one in known.values()})}


def _made_of(facts: Iterable[Fact]) -> set[str]:
    return {key for fact in facts for key in fact.derived_from if not key.startswith(OBSERVATION)}


def _read(database: FactDatabase, ids: set[str]) -> list[Fact]:
    wanted = tuple(sorted(ids - {""}))
    return database.list_facts(FactFilter(status="all", ids=wanted)) if wanted else []


def _is_seen(caller: Caller | None, scope: str) -> bool:
    return caller is None or may_see(caller, scope)


def _parts(whole: Fact, told: _Told, above: frozenset[str]) -> list[dict[str, Any]]:
    rows = []
    for key in whole.derived_from:
        if key in told.noticed:
            rows.append(_observed(told.noticed[key], told))
        elif key in told.facts and key not in above:
            rows.append(_part(told.facts[key], whole, told, above | {key}))
    return rows


def _part(part: Fact, whole: Fact, told: _Told, above: frozenset[str]) -> dict[str, Any]:
    return {
        "id": part.id,
        "kind": "fact",
        "text": _words(part, told),
        "date": to_iso(part.valid_from),
        "status": str(standing(part, told.moment.now)),
        "holds": still_stands(part, whole, told.facts),
        MADE_OF: _parts(part, told, above) if len(above) < _DEEPEST else [],
    }


def _observed(one: Observation, told: _Told) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": "observation",
        "text": _words(one, told),
        "date": to_iso(one.opened_at),
        "status": one.status.value,
        "holds": True,
        MADE_OF: [],
    }


def _words(one: Fact | Observation, told: _Told) -> str:
    return told.withheld if told.withheld is not None and one.trust == Trust.QUARANTINED else one.text
