"""What moves a candidate gently up or down after fusion, what drops it, and what fits into a budget of tokens."""

import datetime as dt
import math
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple

from engram.base.text import is_archived
from engram.model.document import Document
from engram.model.fact import Fact

# Every multiplier is small beside the differences of fused scores: it settles near ties, it never buries the answer to
# the question under something fresh, sure or hot.
_DECIDED = 1.25  # multiplier of a fact beside raw text: it was weighed, the raw text was only said
_MISTRUSTED = 0.5  # least multiplier of a fact for its ratings, however many: anybody may rate, as often as they like
_TIER = {"hot": 1.05, "warm": 1.0, "cold": 0.95}
_UNSURE = 0.85  # multiplier of a fact with confidence 0; 1 at confidence 1
_FRESH = 0.05  # what a document of today gains
_FRESH_DAYS = 30.0  # days after which that gain has fallen to a half
_NAMED = 2.0  # multiplier of a fact about an entity that the question names
_ARCHIVED = 0.5  # multiplier of a fact about an entity that was put away: named in the question, it stands like others
_STANDING_WEIGHT = 0.13  # what a factor of e adds to a fused score: about the spread of the first 200 candidates
_ASSISTANT = 0.7  # of its score remains to what a program said: it repeats, proposes and explains more than it knows
# Measured on long chats: a gold turn among the first ten .73 at 1, .77 at .7, .77 at .5; at .5 answers that only the
# assistant gave fall behind.
_RETOLD = 0.7  # of its score remains to a line of a roll-up: what it retells stands in the notes, in more words
# Measured on 48 questions to notes: the answer first in 26 for 25, among five in 38 for 37.


class Standing(NamedTuple):
    """What is known about a candidate besides its text."""

    fact: Fact | None = None  # None: a note, a turn or a line of MEMORY.md
    tier: str | None = None  # hot, warm, cold
    named: bool = False  # its entity is named in the question
    by_assistant: bool = False  # said by a program, not by a person
    is_retold: bool = False  # a roll-up's, and not of the time that the question asks for, which a roll-up sums up
    confidence: float | None = None  # of the fact after its ratings; None: nobody rated it


def standing_score(score: float, standing: Standing, *, now: dt.datetime) -> float:
    """Return a fused score as the candidate's standing moves it."""
    said = score * (_ASSISTANT if standing.by_assistant else 1.0) * (_RETOLD if standing.is_retold else 1.0)
    return said + _STANDING_WEIGHT * math.log(multiplier(standing, now=now))


def multiplier(standing: Standing, *, now: dt.datetime) -> float:
    """Return the factor, about 0.5 to 2.8, by which a candidate's standing lifts it; 1 for a turn or note."""
    if standing.fact is None:
        return 1.0
    factor = _DECIDED * (_UNSURE + (1 - _UNSURE) * standing.fact.confidence)
    if standing.confidence is not None:
        factor *= max(_MISTRUSTED, 1 + standing.confidence - standing.fact.confidence)
    factor *= _TIER.get(standing.tier or "warm", 1.0)
    age_days = max(0.0, (now - standing.fact.valid_from).total_seconds() / 86400)
    factor *= 1 + _FRESH * math.exp2(-age_days / _FRESH_DAYS)
    factor *= _ARCHIVED if is_archived(standing.fact.entity) else 1.0
    return factor * (_NAMED if standing.named else 1.0)


def shown_score(score: float) -> float:
    """Return the score that people see, from 0 to 1 in the order of the scores: six digits, by which they also ask."""
    return round(1 / (1 + math.exp(-max(-500.0, min(500.0, score)))), 6)


def is_repeated(document: Document, words: str, seen: set[tuple[str, str, str]]) -> bool:
    """Tell whether a document says the same as one before it, and add it to what was seen.

    The same is: a fact in the words of another fact of its entity, an entry or turn in the words of another of its
    session, or an entry or turn in the words of a fact.

    Args:
        document: the next one, in order.
        words: the fingerprint of its text.
        seen: what was said where; begins empty.
    """
    is_fact = document.kind == "fact"
    place = ("fact", document.entity or "") if is_fact else ("raw", document.session or "")
    repeated = (words, *place) in seen or (not is_fact and (words, "said", "") in seen)
    seen.add((words, *place))
    if is_fact:
        seen.add((words, "said", ""))
    return repeated


def fit_budget(costs: Mapping[str, int], budget: int | None) -> tuple[list[str], list[str]]:
    """Return (ids that fit, ids that are cut) in the order given: whole items only; a later small one may fit."""
    if budget is None:
        return list(costs), []
    kept, cut, spent = [], [], 0
    for key, cost in costs.items():
        if spent + cost <= budget:
            kept.append(key)
            spent += cost
        else:
            cut.append(key)
    return kept, cut


def named_entities(question: Iterable[str], names: Mapping[tuple[str, ...], frozenset[str]]) -> set[str]:
    """Return the entity paths of which some name stands in the question; both as terms, a name's terms in a row."""
    asked = list(question)
    longest = max((len(name) for name in names), default=0)
    lengths = range(1, min(longest, len(asked)) + 1)
    runs = {tuple(asked[start : start + length]) for length in lengths for start in range(len(asked) - length + 1)}
    return {path for run in runs for path in names.get(run, ())}
