"""Which facts the start block shows of somebody in play, and under which headings: the weightiest, shelf by shelf."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.rules.importance import salience
from engram.rules.shelves import SHELVES
from engram.rules.shelves import lay_out
from engram.rules.shelves import shelf_of
from engram.services.recall.near_duplicates import find_restated

MOST_OF_ONE: Final = 12  # facts of one entity, so that the others in play have room, too
_ORDER: Final = (Category.INSTRUCTION, Category.IDENTITY, Category.PREFERENCE)  # whose shelves lead the standing ones


class Placed(NamedTuple):
    """A fact and the shelf that it stands on."""

    fact: Fact
    shelf: str  # its title


class Known(NamedTuple):
    """What is shown of one entity."""

    facts: Sequence[Placed]
    more: int  # that are in use, and left out


def choose_of_one(facts: Sequence[Fact], usages: Mapping[str, Usage], tier_of: Mapping[str, str]) -> Known:
    """Return the weightiest of an entity's live facts, each statement once, in the order of a summary's shelves."""
    weights = {fact.id: salience(fact, usages.get(fact.id), tier_of[fact.id]) for fact in facts}
    weightiest = sorted(facts, key=lambda fact: (-weights[fact.id], -fact.valid_from.timestamp(), fact.id))
    restated = find_restated({fact.id: fact.text for fact in weightiest[: 4 * MOST_OF_ONE]})
    known = {fact.id: fact for fact in facts}
    page = lay_out(facts, known, usages, tier_of, restated=restated, room=MOST_OF_ONE)
    placed = [Placed(fact, shelf.title) for shelf, standing in page.shelves for fact in standing]
    return Known(placed, page.more)


def shelve_standing(facts: Iterable[Fact], orders: Iterable[str]) -> list[Placed]:
    """Return standing facts by shelf: what is to be done, who somebody is, what is liked; in their order within each.

    `orders` are the ids of those that are instructions, whatever their category says.
    """
    instruction, *_ = titles = [_title(category) for category in _ORDER]
    of_orders = set(orders)
    placed = [Placed(fact, instruction if fact.id in of_orders else _standing_title(fact)) for fact in facts]
    return sorted(placed, key=lambda one: titles.index(one.shelf))


def _standing_title(fact: Fact) -> str:
    titles = [_title(category) for category in _ORDER]
    own = shelf_of(fact, {fact.id: fact}).title
    who = fact.attribute is not None and fact.category not in {Category.PREFERENCE, Category.CORRECTION}
    return own if own in titles else _title(Category.IDENTITY if who else Category.PREFERENCE)


def _title(category: Category) -> str:
    return next(shelf.title for shelf in SHELVES if category in shelf.categories)
