"""Which facts stand in which part of a start block, on which shelf, and which of them are taken first. Pure."""

import datetime as dt
from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.slots import canonical
from engram.language.signal.detector import detect
from engram.language.signal.order_terms import is_met
from engram.language.signal.order_terms import read_order
from engram.model.fact import EXPERIENCE
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.rules.life.shelves import BACKGROUND
from engram.rules.life.shelves import SHELVES
from engram.rules.life.shelves import shelf_of
from engram.rules.origin import OWNERS
from engram.rules.origin import Origin
from engram.services.context.standing_instructions import IDENTITY
from engram.services.context.standing_instructions import STANDING_TAGS
from engram.services.context.standing_instructions import is_instruction
from engram.services.recall.presentation.near_duplicates import find_restated

_TITLE_OF: Final = {category: shelf.title for shelf in SHELVES for category in shelf.categories}
_TURNS: Final = 3  # in which a shelf gets its share of lines, so that in little room others have some, too
_AT_A_TIME: Final = {shelf.title: max(shelf.share // _TURNS, 1) for shelf in SHELVES}  # lines of one turn
ORDERS: Final = _TITLE_OF[Category.INSTRUCTION]
WHO: Final = _TITLE_OF[Category.IDENTITY]
WISHES: Final = _TITLE_OF[Category.PREFERENCE]
IN_A_CASE: Final = "Standing instructions for certain cases"
RULES_OF_AGENTS: Final = "Rules that agents noted"
RULES_OF_MEMORIES: Final = "Rules from another memory"
SAID_BY_OTHERS: Final = "What others want"
ACTED_ON: Final = frozenset(  # what tells what to do, beside what only tells how things are
    {
        ORDERS,
        IN_A_CASE,
        RULES_OF_AGENTS,
        RULES_OF_MEMORIES,
        WISHES,
        *(_TITLE_OF[one] for one in (Category.DECISION, Category.COMMITMENT)),
    }
)
_ORDER: Final = (
    *(WHO, ORDERS, IN_A_CASE, *(shelf.title for shelf in SHELVES if shelf.title not in {WHO, ORDERS})),
    *(RULES_OF_MEMORIES, RULES_OF_AGENTS, SAID_BY_OTHERS),
)
_OWNERS_ORDER: Final = (WHO, ORDERS, IN_A_CASE, WISHES, RULES_OF_MEMORIES, RULES_OF_AGENTS, BACKGROUND.title)
_WAITS: Final = frozenset({_TITLE_OF[Category.MILESTONE], BACKGROUND.title, IN_A_CASE})  # let the others go first once
_RULES_OF: Final = {Origin.AGENT: RULES_OF_AGENTS, Origin.IMPORTED: RULES_OF_MEMORIES}
_LEFT_OPEN: Final = frozenset({Category.DECISION, Category.STATUS, Category.CONTEXT})  # categories that say little
_RULES_AT_A_TIME: Final = 2  # lines of one turn of what agents or others want
_MOST_COMPARED: Final = 48  # facts of one part of which some may say the same in other words


class Placed(NamedTuple):
    """A fact and the shelf that it stands on."""

    fact: Fact
    shelf: str  # its title
    rank: int  # turns that others on other shelves have before it


def standing_shelf(fact: Fact, origin: Origin, *, is_owner: bool, has_home: bool) -> str | None:
    """Return the shelf on which a fact says how its owner wants things, or who they are; None when it says neither.

    Nobody's words but a person's are instructions: what an agent or another memory noted of the owner is shown as that.
    Words tell what a category leaves open. `is_owner`: it is about the owner, or about somebody in a workspace that
    belongs to nobody; `has_home`: it belongs to a project, on whose page it stands when it says neither.
    """
    if origin == Origin.OTHER or (origin not in OWNERS and not is_owner) or fact.scope == EXPERIENCE:
        return None
    tags = STANDING_TAGS.intersection(fact.tags)
    read = set(detect(fact.text).categories) if is_owner and fact.category in _LEFT_OPEN else set()
    may_order = fact.category in {Category.INSTRUCTION, Category.PREFERENCE, Category.CORRECTION} or tags
    if (may_order and is_instruction(fact)) or (not has_home and Category.INSTRUCTION in read):
        return _RULES_OF.get(origin, ORDERS)
    if not is_owner:
        return None
    if fact.category == Category.PREFERENCE or "preference" in tags or Category.PREFERENCE in read:
        return WISHES
    named = fact.attribute is not None and canonical(fact.attribute) in IDENTITY
    if named or "identity" in tags or fact.category in {Category.IDENTITY, Category.RELATIONSHIP}:
        return WHO
    return BACKGROUND.title if fact.category in _LEFT_OPEN - {Category.DECISION} and not has_home else None


def plain_shelf(fact: Fact, origin: Origin) -> str:
    """Return the shelf of a fact on the page of whom it is about; orders that no person gave stand by themselves."""
    title = shelf_of(fact, {}).title
    if title == ORDERS or (fact.category == Category.PREFERENCE and is_instruction(fact)):
        return title if origin in OWNERS else _RULES_OF.get(origin, SAID_BY_OTHERS)
    return title


def by_case(shelf: str, fact: Fact, said: Collection[str], day: dt.date) -> str:
    """Return the shelf of a fact; an order for a case that is not met has one behind those that hold now.

    One of which a part holds always stands with these. `said` are the terms of what the work is about, `day` is today.
    """
    if shelf != ORDERS:
        return shelf
    order = read_order(fact.text)
    return shelf if not order.when or order.is_of_part or is_met(order.when, said, day) else IN_A_CASE


def lay_out_owner(facts: Iterable[tuple[Fact, str]]) -> list[Placed]:
    """Return standing facts, weightiest first, by shelf: who somebody is, what is to be done, what is liked."""
    return _in_turn(facts, _OWNERS_ORDER)


def lay_out_page(facts: Iterable[tuple[Fact, str]]) -> list[Placed]:
    """Return the facts of one page, weightiest first, by shelf; what another one says, too, comes last of all."""
    return _in_turn(facts, _ORDER)


def without_restated(facts: Sequence[Fact]) -> list[Fact]:
    """Return facts without those that a weightier one before them says, too; of very many the first are compared."""
    once = list({(fact.entity, fact.fingerprint): fact for fact in reversed(facts)}.values())[::-1]
    said = find_restated({fact.id: fact.text for fact in once[:_MOST_COMPARED]})
    return [fact for fact in once if fact.id not in said]


def _in_turn(facts: Iterable[tuple[Fact, str]], order: Sequence[str]) -> list[Placed]:
    """Return facts by shelf; each shelf has its lines of one turn before any of them has those of the next."""
    taken: Counter[str] = Counter()
    placed = []
    for fact, shelf in facts:
        turn = taken[shelf] // _AT_A_TIME.get(shelf, _RULES_AT_A_TIME) + (shelf in _WAITS)
        placed.append(Placed(fact, shelf, turn))
        taken[shelf] += 1
    return sorted(placed, key=lambda one: order.index(one.shelf))
