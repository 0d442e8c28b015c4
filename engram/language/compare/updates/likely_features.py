"""What speaks for or against a newer statement having made an older one out of date: features that have names. Pure.

They are the same for all languages. Those of a pair see only its two statements and how rare words are in their home.
Those of its rivals see how well other statements of the home would fit in the place of either: "Jonas works from Porto
now" is no news of "Jonas is the product owner" where somebody said before where Jonas works.
"""

import math
from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from engram.language.compare.updates.former_values import says_former_value
from engram.language.compare.updates.likely_statement import DAY
from engram.language.compare.updates.likely_statement import EASTERN
from engram.language.compare.updates.likely_statement import MAX_CHARS
from engram.language.compare.updates.likely_statement import SeenStatement
from engram.language.compare.updates.likely_statement import see
from engram.language.compare.updates.updates import weigh

Place = tuple[int, int]
"""Where the older and the newer statement of a pair stand in their home, by the order in which they were said."""

ALIKE: Final = 5  # first letters that words have in common of which one is a form of the other
_FEWEST_WEIGHED: Final = 30  # statements among which a term is rare or not; a home with fewer counts as one of so many
_OTHERS: Final = 5  # statements about other things, beside those of a home
_OF_ALIKE: Final = 0.7  # weight of a form of a word
_MOST_WEIGHT: Final = 3.0
_MOST_COUNTED: Final = 2
_FIRST_OF_NEW: Final = 2  # terms at the beginning of the newer one
_FIRST_OF_OLD: Final = 3
_FEW: Final = 3  # terms of a short statement
_RARE: Final = 0.75  # weight of a part of a word that few statements have
_NOTHING: Final = 1e-6
_MOST_AHEAD: Final = 6.0  # of a score, by which one is ahead of its rivals
_UNLIKELY: Final = -8.0  # score where there is no rival
_LIKELY: Final = 4.0  # score from which one more says nothing


class Rarity:
    """How rare the words of a home are in its statements, from 0 to nearly 1."""

    def __init__(self, statements: Iterable[str]) -> None:
        """Take the statements; in a whole home a word that two of a few share is rare."""
        said = [*statements]
        self._said = said
        self._weights = weigh([*said, *[""] * (_FEWEST_WEIGHED - len(said))])
        self._most = max(_FEWEST_WEIGHED, len(said)) + _OTHERS + 1.5
        self._of: dict[str, float] = {}
        self._of_part: dict[str, float] = {}
        self._of_all: dict[frozenset[str], float] = {}

    def of(self, term: str) -> float:
        """Return how rare a term is."""
        if term not in self._of:
            self._of[term] = self._weights.of(term)
        return self._of[term]

    def of_part(self, part: str) -> float:
        """Return how rare a part of a word is."""
        if part not in self._of_part:
            counted = self._counts[part] + 0.5
            self._of_part[part] = math.log(self._most / counted) / math.log(self._most / 0.5)
        return self._of_part[part]

    def of_parts(self, parts: frozenset[str]) -> float:
        """Return how rare all parts of a statement are, added up."""
        if parts not in self._of_all:
            self._of_all[parts] = math.fsum(map(self.of_part, parts))
        return self._of_all[parts]

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(part for text in self._said for part in see(text).parts)


def change_features(new: str, old: str, rarity: Rarity) -> dict[str, float]:
    """Return what is seen of two statements, by name; empty when they share no term, and no form of one."""
    newer, older = see(new), see(old)
    mine, theirs = frozenset(newer.terms), frozenset(older.terms)
    shared, alike = mine & theirs, _forms(mine, theirs)
    if not shared and not alike:
        return {}
    weights = [*map(rarity.of, shared), *(_OF_ALIKE * rarity.of(term) for term in alike)]
    held = math.fsum(weights) / max(_NOTHING, math.fsum(map(rarity.of, theirs)))
    differ, same, is_day = _compare_values(newer, older)
    return {
        "rarest": max(weights),
        "shared": min(_MOST_WEIGHT, math.fsum(weights)),
        "held": held,
        "begins with it": sum(term in theirs for term in newer.terms[:_FIRST_OF_NEW]) / _FIRST_OF_NEW,
        "began with it": sum(term in mine for term in older.terms[:_FIRST_OF_OLD]) / _FIRST_OF_OLD,
        "same beginning": float(bool(newer.terms and older.terms) and newer.terms[0] == older.terms[0]),
        "length of old": math.log(1 + len(theirs)),
        "short old": float(len(theirs) <= _FEW),
        "tells change": float(newer.tells_change),
        "tells change, held": newer.tells_change * held,
        "cue": float(newer.has_cue),
        "denial, held": newer.is_denial * held,
        "ends": float(newer.ends),
        "ends, held": newer.ends * held,
        "old told a change": float(older.tells_change),
        "other value": min(_MOST_COUNTED, differ),
        "other day": float(is_day),
        "same value": min(_MOST_COUNTED, same),
        "old has value alone": float(bool(older.values) and not newer.values),
        "former value": float(any(says_former_value(old[:MAX_CHARS], one) for one in newer.former)),
        **_of_parts(newer.parts, older.parts, rarity),
        **_of_names(newer, older, shared, rarity),
        **_of_shape(newer, older, shared, rarity),
    }


def _of_parts(mine: frozenset[str], theirs: frozenset[str], rarity: Rarity) -> dict[str, float]:
    """Return how much of their words is the same letter by letter, in forms and compounds and without spaces too."""
    shared = [*map(rarity.of_part, mine & theirs)]
    weight, of_mine, of_theirs = math.fsum(shared), rarity.of_parts(mine), rarity.of_parts(theirs)
    return {
        "parts, held": weight / max(_NOTHING, of_theirs),
        "parts, of new": weight / max(_NOTHING, of_mine),
        "parts, of both": weight / max(_NOTHING, math.sqrt(of_mine * of_theirs)),
        "rarest part": max(shared, default=0.0),
        "parts": math.log1p(len(shared)),
        "rare parts": math.log1p(sum(one > _RARE for one in shared)),
    }


def _of_names(newer: SeenStatement, older: SeenStatement, shared: frozenset[str], rarity: Rarity) -> dict[str, float]:
    """Return whether they share a name or a word, and whether another name stands in the newer one."""
    named = shared & (newer.name_terms | older.name_terms)
    gone, come = older.inner_names - newer.names, newer.inner_names - older.names
    return {
        "rarest word": max(map(rarity.of, shared - named), default=0.0),
        "rarest name": max(map(rarity.of, named), default=0.0),
        "names gone": min(_MOST_COUNTED, len(gone)),
        "names come": min(_MOST_COUNTED, len(come)),
        "other name": float(bool(gone) and bool(come)),
    }


def _of_shape(newer: SeenStatement, older: SeenStatement, shared: frozenset[str], rarity: Rarity) -> dict[str, float]:
    """Return how long both are, and where what they share stands."""
    of_new = math.fsum(map(rarity.of, shared)) / max(_NOTHING, math.fsum(map(rarity.of, newer.terms)))
    return {
        "of new": of_new,
        "terms shared": len(shared),
        "length of new": math.log1p(len(newer.terms)),
        "first in new": _first(shared, newer.terms),
        "first in old": _first(shared, older.terms),
        "letters of new": math.log1p(newer.length),
        "letters of old": math.log1p(older.length),
        "digits in new": float(newer.has_digit),
        "digits in old": float(older.has_digit),
    }


def _first(shared: frozenset[str], terms: Sequence[str]) -> float:
    """Return how far from the beginning the first shared term stands, 0 to 1."""
    return next((at / len(terms) for at, term in enumerate(terms) if term in shared), 1.0)


def _forms(mine: frozenset[str], theirs: frozenset[str]) -> set[str]:
    """Return the terms of the one that begin as a term of the other: swimming and swims."""
    begins = {term[:ALIKE] for term in theirs - mine if len(term) >= ALIKE and not EASTERN.match(term)}
    return {term for term in mine - theirs if term[:ALIKE] in begins}


def _compare_values(newer: SeenStatement, older: SeenStatement) -> tuple[int, int, bool]:
    """Return how many kinds of values differ, how many have one in common, and whether the days of the week differ."""
    kinds = newer.values.keys() & older.values.keys()
    differing = {kind for kind in kinds if newer.values[kind].isdisjoint(older.values[kind])}
    return len(differing), len(kinds) - len(differing), DAY in differing


def rival_features(scores: Mapping[Place, float]) -> dict[Place, dict[str, float]]:
    """Return of each pair of a home how its score compares with those of the pairs that would fit instead.

    Args:
        scores: of all pairs of the home that share something.
    """
    of_new, of_old = defaultdict[int, list[float]](list), defaultdict[int, list[float]](list)
    between: dict[int, set[int]] = defaultdict(set)
    for (old, new), score in scores.items():
        of_new[new].append(score)
        of_old[old].append(score)
        between[old].add(new)
    ranked = [{place: sorted(some, reverse=True) for place, some in one.items()} for one in (of_new, of_old)]
    told: dict[int, set[int]] = defaultdict(set)
    for old, new in scores:
        told[new].add(old)
    return {
        (old, new): {
            "ahead of other old": _ahead(score, ranked[0][new]),
            "ahead of other new": _ahead(score, ranked[1][old]),
            "better old": sum(one > score for one in ranked[0][new]),
            "better new": sum(one > score for one in ranked[1][old]),
            "one between": _best_between(scores, (old, new), between[old] & told[new]),
        }
        for (old, new), score in scores.items()
    }


def _ahead(score: float, ranked: Sequence[float]) -> float:
    """Return how far a score is ahead of the best of the others, the best first."""
    best = ranked[0] if score < ranked[0] else (ranked[1] if len(ranked) > 1 else _UNLIKELY)
    return min(_MOST_AHEAD, max(-_MOST_AHEAD, score - best))


def _best_between(scores: Mapping[Place, float], pair: Place, between: Iterable[int]) -> float:
    """Return the score of the statement that best fits between both: news of the older, and older than the newer."""
    old, new = pair
    best = max((min(scores[old, one], scores[one, new]) for one in between), default=_UNLIKELY)
    return max(_UNLIKELY, min(_LIKELY, best))
