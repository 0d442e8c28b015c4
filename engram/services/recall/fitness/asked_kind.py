"""Which candidates hold the kind of answer that a question asks for: a sum, a length of time, a name, a day.

Words tell what a text is about, not whether it answers: "the boat is for sale" has more of "what does the boat cost?"
than "he wants 4,000 for it". So of what is about the question that goes first which holds what is asked for. To have
come forward by that is no sign that the question is answered: many a text holds some number or some name.
"""

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.answer_kinds import NAME
from engram.language.compare.slots.answer_kinds import find_kind
from engram.language.compare.slots.answer_kinds import holds_day
from engram.language.compare.slots.answer_kinds import holds_kind
from engram.language.compare.slots.question_words import find_form
from engram.language.terms.terms import terms
from engram.model.document import Document
from engram.model.document import Hit
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import in_order
from engram.rules.recall.relevance import NEAREST

_GAIN: Final = 0.2  # what is added to the score of a candidate that holds the kind; the best one has about 1
# By words alone, of 100 questions to chats the answer first in 43, among three in 55, among five in 68 without it; 45,
# 63, 72 at .1; 47, 65, 74 at .2; 48, 66, 76 at .3. Of 632 to talks, on which it was not set: first in 294, now in 304.
_FIRST: Final = 20  # candidates that are looked at; with 50 nothing changes
_READ_CHARS: Final = 1500  # of a text
_AS_CLOSE: Final = 0.85  # share of the best closeness from which a hit is about the question, too


class Answering(NamedTuple):
    """Candidates, best first."""

    ranked: list[Fused]
    come_forward: frozenset[str]  # those that hold the kind and were not among the first few without that


def answering_first(ranked: Sequence[Fused], documents: Mapping[str, Document], question: str) -> Answering:
    """Return the candidates with those lifted that hold the kind of answer asked for; all as they are without one."""
    holds = _find_test(question)
    if holds is None:
        return Answering(list(ranked), frozenset())
    lifted = {one.id for one in ranked[:_FIRST] if holds(documents[one.id].text[:_READ_CHARS])}
    ordered = in_order(one._replace(score=one.score + _GAIN) if one.id in lifted else one for one in ranked)
    return Answering(ordered, frozenset(lifted.difference(one.id for one in ranked[:NEAREST])))


def lacks_answer(
    hits: Sequence[Hit], closeness: Mapping[str, float], question: str, come_forward: Collection[str] = ()
) -> bool:
    """Tell whether a question asks for a kind of answer, such as a sum or a name, that no hit about it holds.

    A hit is about it that shares a word with it, or lies nearly as close as the closest; not one that only came forward
    for the kind that it holds.
    """
    kind = find_kind(question)
    if kind is None:
        return False
    asked, first = set(terms(question)), hits[:NEAREST]
    least = _AS_CLOSE * max((closeness.get(hit.id, 0.0) for hit in first), default=0.0)
    about = (hit for hit in first if not asked.isdisjoint(terms(hit.text)) or closeness.get(hit.id, -1.0) > least)
    return not any(holds_kind(hit.text, kind, question) for hit in about if hit.id not in come_forward)


def _find_test(question: str) -> Callable[[str], bool] | None:
    """Return what tells whether a text holds the kind that a question asks for; None when its words tell no kind."""
    kind = find_kind(question)
    if kind is None:
        form = find_form(question)
        if form is not None and form.form == "when":
            return holds_day
        kind = NAME if form is not None and form.form == "who" else None
    return None if kind is None else partial(holds_kind, kind=kind, question=question)
