"""Whether an answer is about the question at all, and which hits are too far below the best to be brought.

Two signs, of which one is enough. Words: the share of the question's terms that stand together in one of the best
candidates. Meaning: how close the nearest candidate lies, on a scale on which 0 is an unrelated question and 1 the
question itself (`ports.index.Embedder.closeness`), so that it does not depend on the model.

A short question asks the memory something, so whatever comes near is brought, with doubt said in words. A long prompt
is often work that the memory has no part in ("write a cover letter ..."), and it shares a word with almost anything: it
has to show more.
"""

from collections.abc import Collection
from collections.abc import Iterable
from typing import Final
from typing import NamedTuple

CLOSE: Final = 0.55
"""Closeness in meaning from which a candidate is surely about the question."""

BEST: Final = 3
"""Candidates by which the words are judged."""

NEAREST: Final = 5
"""Candidates by whose mean closeness it is judged whether the answer is among them."""

_SHORT, _LONG = 9, 15  # words of a question up to which, and from which, little and all of a sign is asked
_LEAST_NEAR: Final = 0.2  # share of a sign that a short question asks for, where meaning can be told
# Measured at threshold .25: of 103 prompts about other things beside ten memories 6 bring something, of 50 related
# ones 33; of 96 questions to notes, 100 to chats, 255 to talks and 143 Russian ones none brings nothing.
_LIKELY: Final = 0.28  # mean closeness from which an answer is likely to be known
_LIKELY_BY_NEARNESS_ALONE: Final = 0.6  # the same where a sum, a name or the like is asked for and none is shown
_SURE_WORDS: Final = 0.55  # share of the words from which it is, however far in meaning
_LIKELY_WORDS: Final = 0.6  # share of the threshold from which it is, where only words can tell
# Of 48 questions to notes that are answered 15 in 100 are doubted, of 12 on the same matters that nobody answered 50;
# of 100 and 100 to chats 7 and 49, of which 4 and 7 by nearness alone. Near texts look alike, answered or not.
_FAR_IN_WORDS, _FAR_IN_MEANING = 0.35, 0.7  # shares of the best one's score that a hit falls short of, of both
_FAR_BY_WORDS_ALONE: Final = 0.2
# Of what answers a question among the first ten 0 to 1 of 100 falls away, and 7 to 13 of 100 of the hits.


class Signs(NamedTuple):
    """What speaks for an answer."""

    words: float  # share of the question's terms in one of the best candidates, 0 to 1
    closeness: float | None = None  # of the nearest candidate; None without a model
    near: float | None = None  # mean closeness of the nearest five
    length: int = 0  # words of the question
    is_named: bool = False  # whether a candidate has a name or identifier that the question has
    lacks: bool = False  # whether it asks for a kind of answer, such as a sum, that no hit about it holds


def words_shared(asked: Collection[str], best: Iterable[Collection[str]]) -> float:
    """Return the largest share, 0 to 1, of a question's distinct terms that one of the best candidates has.

    1 for a question without terms: nothing can be said against it.
    """
    terms = frozenset(asked)
    if not terms:
        return 1.0
    return max((len(terms.intersection(have)) for have in best), default=0) / len(terms)


def is_relevant(signs: Signs, threshold: float, *, surely: bool = False) -> bool:
    """Tell whether an answer may be brought.

    Args:
        signs: of the candidates.
        threshold: share of the words that is enough by itself; 0 brings everything.
        surely: whether a short question, too, has to show a name or a whole sign: for what nobody asked the memory.
    """
    if threshold <= 0:
        return True
    shown = max(signs.words / threshold, (signs.closeness or 0.0) / CLOSE)
    if surely:
        return signs.is_named or shown >= 1.0
    least = 0.0 if signs.closeness is None else _LEAST_NEAR
    asked = min(1.0, max(least, (signs.length - _SHORT) / (_LONG - _SHORT)))
    return signs.is_named or shown >= asked


def is_probably_unknown(signs: Signs, threshold: float) -> bool:
    """Tell whether the answer is about the question, but probably does not hold what is asked."""
    if threshold <= 0:
        return False
    if signs.near is None:
        return signs.lacks or signs.words < _LIKELY_WORDS * threshold
    if signs.lacks:
        return signs.near < _LIKELY_BY_NEARNESS_ALONE
    is_one_near = (signs.closeness or 0.0) >= CLOSE  # where little is known, the other four are about other things
    return signs.near < _LIKELY and signs.words < _SURE_WORDS and not is_one_near


def is_far(words: float, closeness: float | None, *, best_words: float, best_closeness: float | None) -> bool:
    """Tell whether a hit is far below the best, in words and in meaning: scores of one leg each, 0 for not found."""
    if best_closeness is None:
        return words < _FAR_BY_WORDS_ALONE * best_words
    return words < _FAR_IN_WORDS * best_words and (closeness or 0.0) < _FAR_IN_MEANING * max(0.0, best_closeness)


def mean_of_nearest(closeness: Iterable[float]) -> float | None:
    """Return the mean closeness of the nearest candidates; None when there is none."""
    nearest = sorted(closeness, reverse=True)[:NEAREST]
    return sum(nearest) / len(nearest) if nearest else None
