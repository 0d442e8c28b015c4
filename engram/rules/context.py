"""What fits into the block that an agent loads at its start: whole items, a budget for each part and one for all.

The order of the parts is fixed. A part that comes first takes first, so what always holds is never pushed out by what
happened today. Nothing here knows the time: the same parts give the same block.
"""

from collections.abc import Callable
from collections.abc import Sequence
from typing import NamedTuple

Count = Callable[[str], int]  # tokens of a text


class Item(NamedTuple):
    """One thing that is shown whole or not at all."""

    lines: tuple[str, ...]  # as they stand in the block
    id: str  # of the fact, or the file and line that it stands in
    kind: str  # fact, more, self, handoff, working-memory, decision, note
    text: str  # what it says, without marks of ours
    heading: str = ""  # line above it, shown once for items in a row that have it


class Part(NamedTuple):
    """One part of the block, with all that it could show."""

    name: str  # as JSON calls it
    title: str  # the line above it
    items: Sequence[Item]  # in the order in which they are shown
    budget: int  # tokens that the part may take, title and receipt included
    newest_last: bool = False  # the last items are taken first


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
        lines, heading = [self.title], ""
        for item in self.items:
            if item.heading not in {"", heading}:
                lines.append(item.heading)
            heading = item.heading
            lines += item.lines
        return [*lines, *([_receipt(self.cut)] if self.cut else [])]


def fit(parts: Sequence[Part], budget: int, count: Count) -> list[Fitted]:
    """Return the parts with what fits: each within its own budget and all together within `budget` tokens.

    Args:
        parts: in the order in which they are shown and served.
        budget: tokens for all of them together.
        count: tokens of a text; of one line with its line break, it is asked once for each.
    """
    fitted, left = [], budget
    for part in parts:
        one = _fit(part, min(part.budget, left), count)
        fitted.append(one)
        left -= one.tokens
    return fitted


def cost(lines: Sequence[str], count: Count) -> int:
    """Return the tokens of lines, each with its line break."""
    return sum(count(line + "\n") for line in lines)


def _fit(part: Part, room: int, count: Count) -> Fitted:
    head = cost([part.title, ""], count)  # an empty line stands after each part
    spent, chosen = _chosen(part, room - head, count)
    if len(chosen) < len(part.items):
        receipt = cost([_receipt(len(part.items))], count)
        spent, chosen = _chosen(part, room - head - receipt, count)
        spent += receipt
    cut = len(part.items) - len(chosen)
    if not chosen:
        return Fitted(part.name, part.title, (), 0, cut)
    return Fitted(part.name, part.title, tuple(part.items[place] for place in sorted(chosen)), head + spent, cut)


def _chosen(part: Part, room: int, count: Count) -> tuple[int, list[int]]:
    """Return the tokens and the places of the items that fit, those that come first in order of choice."""
    places = range(len(part.items))
    chosen: list[int] = []
    spent, heading = 0, ""
    for place in reversed(places) if part.newest_last else places:
        item = part.items[place]
        above = [item.heading] if item.heading not in {"", heading} else []
        price = cost([*above, *item.lines], count)
        if spent + price <= room:
            chosen.append(place)
            spent, heading = spent + price, item.heading
    return spent, chosen


def _receipt(cut: int) -> str:
    return f"[{cut} more had no room]"
