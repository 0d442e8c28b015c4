"""Proposals of an agent that its user accepts in a word or two: "I'd suggest Redis." "yes, go with that"."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from engram.language.compare.slots.answers import agreed_proposal
from engram.services.extract.lines.read_line import ReadLine

_FURTHEST: Final = 3  # statements between a proposal and the reply to it


def with_agreed(lines: Iterable[ReadLine]) -> list[ReadLine]:
    """Return lines, and in the place of each proposal of an agent that is accepted right behind it, what is proposed.

    All of the turn agrees: "sounds good. But use MySQL" accepts something else. It stays what the agent said: who
    agrees in a word need not have read every one of it.
    """
    read = list(lines)
    for number, one in enumerate(read):
        if one.line.is_user and one.line.is_first:
            _take_proposal(read, number)
    return read


def _take_proposal(read: list[ReadLine], number: int) -> None:
    """Put what the user of this line accepts in the place of the proposal before it, where there is one."""
    reply = read[number]
    behind = (read[place] for place in range(number, len(read)))
    replies = [one.statement.text for one in takewhile(lambda one: one.passage.id == reply.passage.id, behind)]
    for place in range(number - 1, max(-1, number - 2 - _FURTHEST), -1):
        said = read[place]
        if not said.line.is_agent or said.passage.occasion != reply.passage.occasion:
            return
        agreed = [agreed_proposal(said.line.text, one) for one in replies]
        if all(agreed):
            text = agreed[0][0].upper() + agreed[0][1:]
            read[place] = said._replace(line=said.line._replace(text=text, is_agreed=True))
            return
