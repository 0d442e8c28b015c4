"""What one proposes or offers and another accepts or chooses in a few words: "Shall I use Redis?" "yes".

An agent does so, and its user says yes; or people do so among themselves. What an agent says to its user's own ideas
accepts nothing: it finds most of them good.
"""

from collections.abc import Iterable
from collections.abc import Sequence
from itertools import pairwise
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.answers import QUESTION_ENDS
from engram.language.compare.slots.proposals import agreed_proposal
from engram.language.compare.slots.proposals import only_agrees
from engram.language.compare.slots.proposals import only_asks_consent
from engram.language.compare.slots.proposals import settled_question
from engram.language.compare.slots.proposals import suggested
from engram.language.matching.patterns import expression
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import answers_with_secret
from engram.language.signal.detector import is_small_talk
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.offered import take_choice
from engram.services.extract.lines.read_line import ReadLine
from engram.services.extract.lines.turns import Turn
from engram.services.extract.lines.turns import iter_conversations

_FURTHEST: Final = 3  # statements between a proposal and the reply to it
_SENTENCE_ENDS: Final = (".", "!", "。", "！")
_WIDE: Final = "。"  # ends a sentence where the question ends in a wide sign, or what is asked for in a Chinese one
_MOST_OF_A_RESERVATION: Final = 30  # characters behind "yes,"
_MOST_OF_A_REPLY: Final = 120  # characters of all of a turn that only agrees or chooses


class _Accepted(NamedTuple):
    """What is proposed and accepted."""

    text: str
    is_settled: bool  # it would be so from then on; False: the judge is asked whether it is worth keeping


def with_agreed(lines: Iterable[ReadLine]) -> list[ReadLine]:
    """Return lines, and in the place of each proposal that is accepted right behind it, what is proposed.

    So with an option of an agent that is chosen. All of the turn agrees: "sounds good. But use MySQL" accepts something
    else. It stays what its speaker said: who agrees in a word need not have read every one of it.
    """
    read = list(lines)
    for turns in iter_conversations(read):
        for asked, turn in pairwise(turns):
            first, reply = read[asked[0]].line, read[turn[0]].line
            is_for_user = reply.is_user and first.is_agent
            is_among_people = not (reply.is_agent or first.is_agent) and reply.speaker != first.speaker
            if not (is_for_user or is_among_people) or len(read[turn[0]].text) > _MOST_OF_A_REPLY:
                continue
            replies = [read[place].line.text for place in turn]
            if _accepts_from_agent(read, asked, replies) if is_for_user else _take_proposal(read, asked, replies):
                for place in turn:
                    read[place] = read[place]._replace(line=read[place].line._replace(is_taken_up=True))
    return read


def _accepts_from_agent(read: list[ReadLine], asked: Turn, replies: Sequence[str]) -> bool:
    """Put what a user accepts or chooses in its place; tell whether these replies do no more than that."""
    telling = [one for one in replies if not is_small_talk(one)] or replies
    if take_choice(read, asked, telling) or _take_proposal(read, asked, replies):
        return True
    return _agrees_in_part(read, asked, replies)


def _take_proposal(read: list[ReadLine], asked: Turn, replies: Sequence[str]) -> bool:
    """Put what these replies accept in the place of the proposal before them; tell whether there is one.

    Another question beside it may be what is accepted, unless it only asks for consent.
    """
    for place in asked[: -2 - _FURTHEST : -1]:
        said = read[place]
        if accepted := _accepted(said.line, replies):
            if any(_asks_more(read[other].line.text) for other in asked if other != place):
                return False
            if find_injection(said.text):  # who says "ok" to a turn that gives orders has not read them
                return False
            line = said.line._replace(text=accepted.text, is_agreed=True, is_answer=accepted.is_settled)
            read[place] = said._replace(line=line)
            return True
    return False


def _agrees_in_part(read: Sequence[ReadLine], asked: Turn, replies: Sequence[str]) -> bool:
    """Tell whether a reply only takes something off what is proposed: "yes, but only on staging" alone says nothing."""
    head, mark, rest = replies[0].partition(",")
    if len(replies) > 1 or not mark or len(rest) > _MOST_OF_A_RESERVATION:
        return False
    if not expression("sentences", "reservation", r"(?i:\s*(?:%s))").match(rest):
        return False
    return any(settled_question(said, head) for said in (read[place].line.text for place in asked))


def _accepted(line: Line, replies: Sequence[str]) -> _Accepted | None:
    """Return what a statement proposes, or a question asks for, where the replies do no more than agree."""
    said = line.text
    agreeing = [one for one in replies if only_agrees(said, one)]
    if not agreeing or not all(one in agreeing or is_small_talk(one) for one in replies):
        return None
    settled = settled_question(said, agreeing[0]) or suggested(said, agreeing[0], among_people=not line.is_agent)
    if settled:
        is_secret = any(answers_with_secret(said, word) for word in settled.split())
        return None if is_secret else _Accepted(_sentence(settled, said), is_settled=True)
    if said.endswith(QUESTION_ENDS) or not line.is_agent:
        return None
    text = agreed_proposal(said, agreeing[0])
    return _Accepted(text[0].upper() + text[1:], is_settled=False) if text else None


def _sentence(what: str, said: str) -> str:
    """Return what is asked for as a sentence."""
    is_wide = said.endswith(("？", _WIDE)) or "\u3400" <= what[-1] <= "\u9fff"
    end = _WIDE if is_wide else "."
    return f"{what[0].upper()}{what[1:]}{'' if what.endswith(_SENTENCE_ENDS) else end}"


def _asks_more(text: str) -> bool:
    return text.endswith(QUESTION_ENDS) and not only_asks_consent(text)
