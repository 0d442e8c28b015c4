"""From how much use a fact is put forward to be always loaded, and why or why not. Pure.

It is put forward, never promoted: a person decides. What counts is how often it was asked for, in how many different
ways, and on how many days: one long conversation about something is no lasting need of it.
"""

from typing import Final
from typing import NamedTuple

from engram.base.counts import counted
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Trust

CONSUMER: Final = "synthesis"  # whose watermarks tell what was put forward
TOLD: Final = "told:"  # begins the key for what came again: on how many occasions it had
USED: Final = "used:"  # begins the key for what was used: how it was, as JSON
ASKED_LEAST: Final = 6  # answers in which a fact was among the first hits, or was used by a reply
QUESTIONS_LEAST: Final = 3  # different ones
DAYS_LEAST: Final = 3
WINDOW_DAYS: Final = 90  # in which all of that has to fall
FIRST_HITS: Final = 3  # of an answer: what stands further down was not what was asked for


class Use(NamedTuple):
    """How a fact was asked for in the last 90 days."""

    asked: int = 0  # times
    questions: int = 0  # by how many different ones
    days: int = 0  # on how many of the workspace's days

    def is_enough(self) -> bool:
        """Tell whether the fact is to be put forward."""
        return self.asked >= ASKED_LEAST and self.questions >= QUESTIONS_LEAST and self.days >= DAYS_LEAST

    def said(self) -> str:
        """Return it in words, as the reason for putting it forward."""
        questions = counted(self.questions, "different question")
        return f"asked for {counted(self.asked, 'time')}, by {questions}, on {counted(self.days, 'day')}"

    def said_of_least(self) -> str:
        """Return it in words, beside what would be enough."""
        times = f"{counted(self.asked, 'time')} of {ASKED_LEAST}"
        questions = f"{counted(self.questions, 'different question')} of {QUESTIONS_LEAST}"
        return f"asked for {times}, by {questions}, on {counted(self.days, 'day')} of {DAYS_LEAST}"


def may_be_put_forward(fact: Fact) -> bool:
    """Tell whether a fact may be put before a person: it is trusted, or an agent noted it, or it came of such."""
    by_whom = fact.source.turn is None and fact.source.actor in {Actor.AGENT, Actor.USER}
    return fact.trust == Trust.TRUSTED or (fact.trust == Trust.UNVERIFIED and by_whom)
