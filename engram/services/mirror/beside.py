"""How the facts of a page of life/ stand to each other, and to those that they were made of."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence

from engram.model.fact import SHARED
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.rules.life.grounds import Grounds
from engram.rules.life.grounds import grounds_of
from engram.rules.life.importance import salience
from engram.rules.life.mirror import Beside
from engram.rules.life.mirror import is_shown
from engram.rules.life.shelves import MOST_LINES
from engram.rules.temporal import overdue_since
from engram.services.facts.parts import known_parts
from engram.services.recall.presentation.near_duplicates import find_restated
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.outdated import may_tell
from engram.services.recall.validity.said import read_said

_MOST_COMPARED = 4 * MOST_LINES  # facts of an entity of which near-duplicates are looked for


def stand_beside(
    database: FactDatabase,
    facts: Sequence[Fact],
    usages: Mapping[str, Usage],
    tier_of: Mapping[str, str],
    *,
    at: dt.datetime,
    zone: dt.tzinfo,
) -> Beside:
    """Return how an entity's facts stand to each other at the moment at which what is shown holds."""
    shown = [fact for fact in facts if is_shown(fact, at)]
    grounds = _grounds(database, shown)
    return Beside(_restated(shown, usages, tier_of), grounds, _kept(database, facts, shown, at, zone))


def _restated(shown_facts: Sequence[Fact], usages: Mapping[str, Usage], tier_of: Mapping[str, str]) -> set[str]:
    """Return the ids of the facts that say no more than a weightier one; only the weightiest can stand on the page."""
    shown = {fact.id: salience(fact, usages.get(fact.id), tier_of[fact.id]) for fact in shown_facts}
    dated = {fact.id: (shown[fact.id], fact.valid_from, fact.id) for fact in shown_facts}
    weightiest = sorted(dated, key=dated.__getitem__, reverse=True)[:_MOST_COMPARED]
    text_of = {fact.id: fact.text for fact in shown_facts}
    return find_restated({key: text_of[key] for key in weightiest})


def _grounds(database: FactDatabase, shown: Sequence[Fact]) -> dict[str, Grounds]:
    """Return what the patterns and principles among facts rest on."""
    wisdom = [one for one in shown if one.derived_from and one.abstraction != Abstraction.EPISODE]
    known = known_parts(database, wisdom) if wisdom else {}
    return {one.id: grounds_of(one, known) for one in wisdom}


def _kept(
    database: FactDatabase, facts: Sequence[Fact], shown: Sequence[Fact], at: dt.datetime, zone: dt.tzinfo
) -> dict[str, Fact]:
    """Return, by the id of each overdue promise that is kept, the entity's own fact that says so.

    What another entity's fact says is not asked: the file would have to change whenever that one does.
    """
    late = [fact for fact in shown if overdue_since(fact, at, zone)]
    if not late:
        return {}
    told = [fact for fact in facts if fact.status == Status.ACTIVE and fact.scope == SHARED]
    telling = may_tell(told, late)
    said = read_said(database, [*late, *telling])
    return find_outdated_now(late, lambda fact: fact.entity, at, telling, said)
