"""In which order the versions of a source are written, so that each takes the place of the one before it. Pure."""

from collections.abc import Callable
from collections.abc import Sequence
from typing import NamedTuple

from engram.importers.memories.items import FactItem

_SUPERSEDED = "superseded in the source"


class ChainPlan(NamedTuple):
    """The order of writing, and who follows whom."""

    levels: list[list[int]]  # places of items, oldest versions first; what has no history comes last
    follower: dict[int, int]  # place of a past item -> place of the one that took its place
    lost: dict[int, str]  # place of a past item without a follower here -> why, in words


def plan_chains(items: Sequence[FactItem]) -> ChainPlan:
    """Return the plan for statements of one source; each place stands in exactly one level.

    An item is followed only by one about the same entity. Chains that turn in a circle have no newest version: each of
    their items counts as past without a follower.
    """
    by_key = {item.key: place for place, item in reversed(list(enumerate(items))) if item.key}
    follower: dict[int, int] = {}
    lost: dict[int, str] = {}
    for place, item in enumerate(items):
        if not item.is_past:
            continue
        after = by_key.get(item.follower) if item.follower else None
        if after is None:
            lost[place] = item.why_past or _SUPERSEDED + (", by something that is not there" if item.follower else "")
        elif items[after].entity != item.entity:
            lost[place] = f"{_SUPERSEDED}, by a statement about something else"
        else:
            follower[place] = after
    for place in _in_circles(follower):
        del follower[place]
        lost[place] = f"{_SUPERSEDED}, in a chain that turns in a circle"
    return ChainPlan(_levels(items, follower), follower, lost)


def _in_circles(follower: dict[int, int]) -> set[int]:
    circles: set[int] = set()
    done: set[int] = set()
    for start in follower:
        path: dict[int, int] = {}
        place = start
        while place in follower and place not in done and place not in path:
            path[place] = len(path)
            place = follower[place]
        if place in path:
            circles |= {one for one, at in path.items() if at >= path[place]}
        done |= path.keys()
    return circles


def _levels(items: Sequence[FactItem], follower: dict[int, int]) -> list[list[int]]:
    waiting: dict[int, int] = dict.fromkeys(range(len(items)), 0)  # place -> how many stand before it, unwritten
    for after in follower.values():
        waiting[after] += 1
    plain = {place for place, count in waiting.items() if not count and not items[place].is_past}
    ready = sorted((place for place, count in waiting.items() if not count and place not in plain), key=_by_time(items))
    levels: list[list[int]] = []
    while ready:
        levels.append(ready)
        behind = [follower[place] for place in ready if place in follower]
        for place in behind:
            waiting[place] -= 1
        ready = sorted({place for place in behind if not waiting[place]}, key=_by_time(items))
    last = sorted(plain, key=_by_time(items))
    return [*levels, last] if last else levels


def _by_time(items: Sequence[FactItem]) -> Callable[[int], tuple[bool, float, int]]:
    def key(place: int) -> tuple[bool, float, int]:
        at = items[place].at or items[place].valid_from
        return at is None, at.timestamp() if at else 0.0, place

    return key
