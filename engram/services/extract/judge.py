"""Whether a line is worth keeping and of which kind it is, by weights that were learned from marked texts.

The weights are made by scripts/train_judge.py. A *chance* is calibrated: of lines with .9, nine in ten were marked by
careful readers, on authors that the weights had not seen. What is *sure* becomes a fact: of what lies above that line,
three in four were marked.
"""

import functools
import math
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final
from typing import NamedTuple

from engram.language.signal.detector import HIGH
from engram.model.vocabulary import Category
from engram.services.extract.labels import is_labelled
from engram.services.extract.labels import says_who_is_what
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.line_features import kind_features
from engram.services.extract.lines.line_features import line_features
from engram.services.extract.weights import Weights

FILE: Final = Path(__file__).with_name("judge.json")
CANDIDATE_FROM: Final = 0.5
"""Chance from which on an unsure line waits as a candidate: it is more likely than not worth keeping. Below it, the
line stays raw text, which recall finds."""

_BY_RULE: Final = {"user": 0.88, "note": 0.82}
"""Share of lines that readers marked, of those that a rule of the detector calls high; among friends it is no better
than the judge."""
_ANSWERED: Final = 0.75
"""Of short answers of a user to a question for something that lasts. Friends also ask each other where to eat."""
_LABELLED: Final = 0.9
"""Of lines of notes that say what they are, "Lesson: ..."; readers marked 35 of 38, and 23 of 26 invented ones."""
_AGREED: Final = 0.6
"""Share of the usual chance from which on a proposal that the user accepts is a fact: the user has said yes to it."""
_WORDS: Final = "worth"  # the output for a line without a vector
_MEANING: Final = "meaning"  # and with one
_IN_NOTES: Final = " in notes"  # behind the output of a category that tells it of notes, where others tell it of talk
_FINE: Final = frozenset({Category.INSTRUCTION, Category.IDENTITY, Category.COMMITMENT, Category.LESSON})
_FOR_FINE: Final = 0.5
"""Score by which a finer category may fall behind: a promise is a status as well, so that is never less likely. With it
.56 instead of .54 of the categories are the readers' own with vectors, .52 instead of .50 by words; .80 instead of .81,
and .78 as before, may be filed so."""
_LIKELY_FROM: Final = -0.5  # score from which on a category that a loose rule says is believed, a chance of .38
_OF_THEMSELVES: Final = frozenset({Category.PREFERENCE, Category.IDENTITY, Category.MILESTONE})
"""What rules say of what somebody tells of themselves, and are right about in seven of ten."""


class Verdict(NamedTuple):
    """What the judge says of a line."""

    chance: float  # that a careful reader would keep it, 0 to 1
    is_sure: bool
    category: Category
    scores: Mapping[Category, float] = MappingProxyType({})  # logits; none, where that was not looked at

    def corrected(self, category: Category) -> Category:
        """Return a category that a rule says of talk; one of what people tell of themselves only where it is likely.

        Else it is the likeliest of these: a rule that takes an allergy for a preference has seen that much. With this
        .71 instead of .67 of them are the readers' own, with vectors, and .70 by words.
        """
        if category not in _OF_THEMSELVES or self.scores.get(category, 0.0) >= _LIKELY_FROM:
            return category
        return max(_OF_THEMSELVES & self.scores.keys(), key=lambda one: (self.scores[one], one))


class Judge:
    """The learned judge; one serves any number of lines."""

    def __init__(self, weights: Weights) -> None:
        """Take the weights."""
        self._weights = weights
        outputs = set(weights.outputs)
        self._categories = {
            (variant, place): {one: name for one in Category if (name := f"{variant} {one.value}{place}") in outputs}
            for variant in (_WORDS, _MEANING)
            for place in ("", _IN_NOTES)
        }

    def judge(self, line: Line, vector: Sequence[float] = ()) -> Verdict:
        """Return what is to become of a line; `vector` as `vectors.line_vector` makes it, empty without a model."""
        if line.is_agreed:  # then it is as if the user had said it
            line = line._replace(speaker="user", is_user=True, is_agent=False)
        rows = self._weights.rows(line_features(line) | kind_features(line))
        variant = _MEANING if vector and _MEANING in self._weights.outputs else _WORDS
        score = self._weights.score(variant, rows, vector)
        slope, offset = self._weights.facts["calibration"][variant][line.setting]
        chance = 1 / (1 + math.exp(-max(-60.0, min(60.0, slope * score + offset))))
        by_rule = _by_rule(line)
        chance = max(chance, by_rule)
        sure_from = self._weights.facts["sure"][variant][line.setting] * (_AGREED if line.is_agreed else 1)
        if chance < min(CANDIDATE_FROM, sure_from):
            return Verdict(chance, is_sure=False, category=Category.CONTEXT)
        names = self._categories[variant, _IN_NOTES if line.source == "note" else ""]
        scores = dict(zip(names, self._weights.scores(names.values(), rows, vector), strict=True))
        is_sure = bool(by_rule) or chance >= sure_from
        return Verdict(chance, is_sure=is_sure, category=choose_category(scores), scores=scores)


def _by_rule(line: Line) -> float:
    """Return the chance of a line for which a rule speaks; 0 when none does."""
    if line.grade == HIGH:
        return _BY_RULE.get(line.source, 0.0)
    if is_labelled(line):
        return _LABELLED
    if says_who_is_what(line):
        return _BY_RULE.get(line.source, 0.0)
    return _ANSWERED if line.is_answer and line.is_user else 0.0


def choose_category(scores: Mapping[Category, float]) -> Category:
    """Return the category of a statement: a finer one when it is about as likely as not, and as the best other one."""
    fine = max(_FINE & scores.keys(), key=lambda one: (scores[one], one), default=None)
    other = max(scores.keys() - _FINE, key=lambda one: (scores[one], one), default=Category.CONTEXT)
    is_finer = fine is not None and scores[fine] + _FOR_FINE > max(0.0, scores.get(other, 0.0))
    return fine if fine is not None and is_finer else other


@functools.cache
def load_judge() -> Judge:
    """Return the judge of this program."""
    return Judge(Weights.load(FILE))
