"""What fits into the block that an agent loads at its start: whole items, a share for each part and a budget for all.

The order of the parts is fixed. First every part takes what its share lets it, so that no part crowds out another; then
what is left over goes to the parts in their order, as far as each may grow. Within a part the items of the lowest rank
are taken first. Nothing here knows the time: the same parts give the same block.
"""

from bisect import bisect
from bisect import insort
from collections.abc import Callable
from collections.abc import Sequence
from typing import NamedTuple

Count = Callable[[str], int]  # tokens of a text


class Item(NamedTuple):
    """One thing that is shown whole or not at all."""

    lines: tuple[str, ...]  # as they stand in the block
    id: str  # of the fact, or the file and line that it stands in
    kind: str  # fact, self, handoff, inbox, working-memory, decision, note
    text: str  # what it says, without marks of ours
    heading: str = ""  # line above it, shown once for items in a row that have it
    rank: int = 0  # when it is taken: items of a lower one before it, and of one rank those that come first


class Part(NamedTuple):
    """One part of the block, with all that it could show."""

    name: str  # as JSON calls it
    title: str  # the line above it
    items: Sequence[Item]  # in the order in which they are shown
    budget: int  # tokens that the part may take, title and receipt included
    newest_last: bool = False  # the last items are taken first
    grows: bool = False  # it may take more than its budget when the others leave something over


class Fitted(NamedTuple):
    """A part as it stands in the block."""

    name: str
    title: str
    items: Sequence[Item]
    tokens: int  # that its lines take, title and receipt included
    cut: int  # items that had no room

    def lines(self) -> list[str]:
        """Return the lines of the part: none when nothing of it has room."""
        if not self.items:
            return []
        return [self.title, *_lines(self.items), *([_receipt(self.cut)] if self.cut else [])]


def fit(parts: Sequence[Part], budget: int, count: Count) -> list[Fitted]:
    """Return the parts with what fits: each within its share and all together within `budget` tokens.

    Args:
        parts: in the order in which they are shown and served.
        budget: tokens for all of them together. When the parts that have something to show may take more, the share of
            each is so much smaller, and what others leave of theirs is given out afterwards.
        count: tokens of a text; of one line with its line break, it is asked once for each.
    """
    wanted = sum(part.budget for part in parts if part.items)
    scale = min(1.0, max(budget, 0) / wanted) if wanted else 1.0
    prices = _Prices(count)
    fitted = [_fit(part, int(part.budget * scale), prices) for part in parts]
    left = budget - sum(one.tokens for one in fitted)
    for may_grow in (False, True):  # first what is left of everybody's full share
        for place, part in enumerate(parts):
            if fitted[place].cut and (part.grows or not may_grow):
                room = left + fitted[place].tokens
                grown = _fit(part, room if may_grow else min(part.budget, room), prices)
                left += fitted[place].tokens - grown.tokens
                fitted[place] = grown
    return fitted


def cost(lines: Sequence[str], count: Count) -> int:
    """Return the tokens of lines, each with its line break."""
    return sum(count(line + "\n") for line in lines)


class _Prices:
    """What lines cost, each counted once."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def of(self, lines: Sequence[str]) -> int:
        return sum(self._of(line) for line in lines)

    def _of(self, line: str) -> int:
        if line not in self._known:
            self._known[line] = self._count(line + "\n")
        return self._known[line]


def _fit(part: Part, room: int, prices: _Prices) -> Fitted:
    head = prices.of([part.title, ""])  # an empty line stands after each part
    chosen = _chosen(part, room - head, prices)
    if len(chosen) < len(part.items):
        receipt = prices.of([_receipt(len(part.items))])
        chosen = _chosen(part, room - head - receipt, prices)
    cut = len(part.items) - len(chosen)
    if not chosen:
        return Fitted(part.name, part.title, (), 0, cut)
    items = tuple(part.items[place] for place in chosen)
    receipt = prices.of([_receipt(cut)]) if cut else 0
    return Fitted(part.name, part.title, items, head + prices.of(_lines(items)) + receipt, cut)


def _chosen(part: Part, room: int, prices: _Prices) -> list[int]:
    """Return the places of the items that fit, in order; those that come first in order of choice are taken first."""
    places = range(len(part.items))
    first = reversed(places) if part.newest_last else places
    chosen: list[int] = []
    own = [prices.of(item.lines) for item in part.items]
    headings = [prices.of([item.heading]) if item.heading else 0 for item in part.items]
    spent = 0
    for place in sorted(first, key=lambda one: part.items[one].rank):
        if spent + own[place] > room:
            continue
        change = own[place] + _change_of_headings(part.items, headings, chosen, place)
        if spent + change <= room:
            insort(chosen, place)
            spent += change
    return chosen


def _change_of_headings(items: Sequence[Item], headings: Sequence[int], chosen: list[int], place: int) -> int:
    """Return the tokens by which the headings of the chosen items grow when one more comes between them."""
    at = bisect(chosen, place)
    before = items[chosen[at - 1]].heading if at else ""
    own = items[place].heading
    change = headings[place] if own != before else 0
    if at < len(chosen):
        behind = items[chosen[at]].heading
        change += (headings[chosen[at]] if behind != own else 0) - (headings[chosen[at]] if behind != before else 0)
    return change


def _lines(items: Sequence[Item]) -> list[str]:
    lines, heading = [], ""
    for item in items:
        if item.heading not in {"", heading}:
            lines.append(item.heading)
        heading = item.heading
        lines += item.lines
    return lines


def _receipt(cut: int) -> str:
    return f"[{cut} more had no room]"
