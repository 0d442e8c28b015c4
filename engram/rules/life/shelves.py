"""The shelves of a page about somebody or something: which facts stand on which, in which order, and how many. Pure.

A page stays one that is read in a minute: every shelf has lines of its own, what a shelf does not need the weightiest
of the rest get, no shelf more than twice its share while others want room, and what has no room is counted. Principles
and pinned facts always stand there.
"""

from collections import Counter
from collections.abc import Container
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.model.fact import Abstraction
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.rules.life.decay import in_summary
from engram.rules.life.importance import salience


class Shelf(NamedTuple):
    """One part of a page."""

    title: str
    categories: tuple[Category, ...]  # what stands on it; what is put there by hand is of the first
    share: int  # lines that it may fill before others get them


PRINCIPLES: Final = Shelf("Principles", (), 0)
BACKGROUND: Final = Shelf("Background", (Category.CONTEXT,), 2)
SHELVES: Final = (
    Shelf("Who and what", (Category.IDENTITY, Category.RELATIONSHIP), 6),
    Shelf("Standing instructions", (Category.INSTRUCTION,), 6),
    PRINCIPLES,
    Shelf("Preferences", (Category.PREFERENCE,), 5),
    Shelf("Decisions", (Category.DECISION,), 6),
    Shelf("Commitments", (Category.COMMITMENT,), 4),
    Shelf("How things stand", (Category.STATUS,), 4),
    Shelf("Lessons", (Category.LESSON,), 4),
    Shelf("Milestones", (Category.MILESTONE,), 3),
    BACKGROUND,
)
MOST_LINES: Final = 40  # facts of a page, but for principles and pinned ones

_SHELF_OF: Final = {category: shelf for shelf in SHELVES for category in shelf.categories}
_BANDS = 10  # of importance: within one of them the newest stands first


class Page(NamedTuple):
    """What stands on a page."""

    shelves: tuple[tuple[Shelf, tuple[Fact, ...]], ...]  # those that hold something, in order
    more: int  # facts that are in use and have no room, or that another one on the page says, too
    cold: int  # facts that were not used lately


def shelf_of(fact: Fact, known: Mapping[str, Fact]) -> Shelf:
    """Return where a fact stands; a correction where that stood which it corrects. `known` are all versions by id."""
    if fact.abstraction == Abstraction.PRINCIPLE and fact.category != Category.INSTRUCTION:
        return PRINCIPLES
    return _SHELF_OF.get(_kind(fact, known), BACKGROUND)


def lay_out(
    facts: Sequence[Fact],
    known: Mapping[str, Fact],
    usages: Mapping[str, Usage],
    tiers: Mapping[str, str],
    *,
    restated: Container[str] = frozenset(),
    room: int = MOST_LINES,
) -> Page:
    """Return the page of some live facts.

    Args:
        facts: those that may stand on it.
        known: all versions by id, those facts among them.
        usages: fact id -> how it is used; facts never used are absent.
        tiers: fact id -> hot, warm or cold, for all of the facts.
        restated: ids of facts that a better one says, too.
        room: lines that it may have, but for principles and pinned facts.
    """
    in_use = [fact for fact in facts if in_summary(fact, usages.get(fact.id), tiers[fact.id])]
    weights = {fact.id: salience(fact, usages.get(fact.id), tiers[fact.id]) for fact in in_use}
    fixed = {fact.id for fact in in_use if _is_fixed(fact, usages)}
    weightiest = sorted(in_use, key=lambda fact: (-weights[fact.id], *_newest_first(fact)))
    places = {fact.id: shelf_of(fact, known) for fact in in_use}
    wanted = [fact for fact in weightiest if fact.id not in fixed and fact.id not in restated]
    shown = fixed | _with_room(wanted, places, room - len(fixed))
    ordered = sorted(
        (fact for fact in in_use if fact.id in shown),
        key=lambda fact: (fact.id not in fixed, -round(weights[fact.id] * _BANDS), *_newest_first(fact)),
    )
    shelves = ((shelf, tuple(fact for fact in ordered if places[fact.id] == shelf)) for shelf in SHELVES)
    filled = tuple((shelf, standing) for shelf, standing in shelves if standing)
    return Page(filled, more=len(in_use) - len(shown), cold=len(facts) - len(in_use))


def _with_room(weightiest: Sequence[Fact], places: Mapping[str, Shelf], room: int) -> set[str]:
    """Return the ids of those that get a line: each shelf's own share first, then its share again, then any."""
    chosen: dict[str, None] = {}
    for times in (1, 2, len(weightiest)):
        taken = Counter(places[key] for key in chosen)
        for fact in weightiest:
            shelf = places[fact.id]
            if len(chosen) < room and fact.id not in chosen and taken[shelf] < times * max(shelf.share, 1):
                chosen[fact.id] = None
                taken[shelf] += 1
    return set(chosen)


def _is_fixed(fact: Fact, usages: Mapping[str, Usage]) -> bool:
    usage = usages.get(fact.id)
    return fact.abstraction == Abstraction.PRINCIPLE or (usage is not None and usage.pinned)


def _kind(fact: Fact, known: Mapping[str, Fact]) -> Category:
    seen = {fact.id}
    while fact.category == Category.CORRECTION:
        before = known.get(fact.supersedes[0]) if fact.supersedes else None
        if before is None or before.id in seen:
            break
        seen.add(before.id)
        fact = before
    return fact.category


def _newest_first(fact: Fact) -> tuple[float, str, int]:
    birthplace, _, number = fact.id.rpartition("-")
    return -fact.valid_from.timestamp(), birthplace, -int(number)
