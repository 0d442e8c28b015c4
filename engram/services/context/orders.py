"""What is told of a standing order beside its words: its case, what ends it, who gave it, and what it excludes."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.language.signal.order_terms import read_order
from engram.model.conversation import Session
from engram.model.fact import EXPERIENCE
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.model.vocabulary import BY_HOOK
from engram.ports.database import FactDatabase
from engram.rules.origin import OWNERS
from engram.rules.origin import Origin
from engram.rules.origin import origin_of
from engram.rules.origin import short_session
from engram.rules.temporal import written_end
from engram.services.recall.presentation.order_marks import order_marks

INSTRUCTION: Final = "instruction"  # tag of what is one whatever its category


class Orders:
    """Tells of orders in one state of the database."""

    def __init__(self, database: FactDatabase, zone: dt.tzinfo) -> None:
        """Read which facts exclude each other, as far as nobody has settled it; `zone` is that of days."""
        self._zone = zone
        self._against: Mapping[str, list[str]] = _in_tension(database)

    def told(self, fact: Fact, origin: Origin, seen: Collection[str] | None = None) -> dict[str, Any] | None:
        """Return {"when", "until", "by", "against"} of an order; None for what is none: only persons give orders.

        Args:
            fact: the order.
            origin: whose words it is made of.
            seen: ids of facts that may be named; None: of all.
        """
        if origin not in OWNERS:
            return None
        read = read_order(fact.text)
        until = written_end(fact, self._zone) if fact.valid_to is not None else read.until
        against = [one for one in self._against.get(fact.id, ()) if seen is None or one in seen]
        return {"when": read.when or None, "until": until or None, "by": _giver(fact, origin), "against": against}

    def disputed(self, fact: Fact, seen: Collection[str]) -> list[str]:
        """Return in words with which of these facts one cannot hold together, as far as nobody has settled it."""
        others = [one for one in self._against.get(fact.id, ()) if one in seen]
        return [f"against {', '.join(others)}: not settled"] if others else []

    def marks(self, fact: Fact, seen: Collection[str]) -> list[str]:
        """Return the same in words as they stand behind an order in a start block, which says itself who gave it."""
        told = self.told(fact, Origin.PERSON, seen) or {}
        return order_marks({**told, "by": None})


def is_listed_as_order(fact: Fact) -> bool:
    """Tell whether a listing shows a fact as an order: by its category or its tag, for reading all words takes long."""
    return fact.category == Category.INSTRUCTION or (INSTRUCTION in fact.tags and fact.scope != EXPERIENCE)


def orders_told(database: FactDatabase, facts: Iterable[Fact], zone: dt.tzinfo) -> dict[str, dict[str, Any]]:
    """Return what is told of each of these orders that a person gave, by its id; no other than these is named."""
    listed = list(facts)
    if not listed:
        return {}
    orders, seen = Orders(database, zone), {fact.id for fact in listed}
    usages: Mapping[str, Usage] = database.usages([*seen])
    sessions: dict[str, Session] = {one.name: one for one in database.list_sessions()}
    origins = {
        fact.id: origin_of(fact, usages.get(fact.id), sessions.get(fact.source.session or "")) for fact in listed
    }
    told = {fact.id: orders.told(fact, origins[fact.id], seen) for fact in listed}
    return {key: one for key, one in told.items() if one is not None}


def _in_tension(database: FactDatabase) -> Mapping[str, list[str]]:
    against: dict[str, list[str]] = defaultdict(list)
    for tension in database.list_tensions():
        for one, other in ((tension.fact1, tension.fact2), (tension.fact2, tension.fact1)):
            if one and other:
                against[one].append(other)
    return against


def _giver(fact: Fact, origin: Origin) -> str:
    """Return who gave an order and where, in words."""
    source = fact.source
    place = f" in {short_session(source.session)}" if source.session else ""
    if origin == Origin.SAID:
        return f"the owner{place}"
    if source.actor in {Actor.AGENT, Actor.TOOL}:  # whomever it names as its source
        return "an agent, confirmed by a person"
    if source.label and source.label != BY_HOOK:
        return source.label
    if source.actor == Actor.FILE:
        return f"a person in {source.path}" if source.path else "a person"
    return f"a person{place}" if source.actor == Actor.USER else "another memory, confirmed by a person"
