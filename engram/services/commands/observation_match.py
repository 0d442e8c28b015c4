"""Whether something that was noticed is new, or was noticed before. Pure: sentences in, an observation or none out.

| new against known | what it is |
|---|---|
| the same sentence after folding | seen again |
| words alike, nothing excludes | seen again |
| words alike, only a number, a date or a version differs | seen again: it came back, by another measure |
| words alike, one denies the other or turns it round | new: the opposite was noticed |
| about different entities | new |
| another thing is suggested: a pattern, a principle, a line of MEMORY.md | new |
| fewer words in common | new |
"""

from collections.abc import Iterable
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.compare import skeleton
from engram.language.compare.contradiction.compare import words
from engram.model.comparison import EXCLUDING
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.model.observation import Suggestion

ALIKE = 0.65  # share of common words from which two sentences tell of one thing: of five, one may differ, not two
_PERHAPS = 0.5  # share of common words, numbers left out, below which nothing is compared; the store's query has it too
_COUNTED = frozenset({"number", "date", "version"})  # kinds of difference that make no other thing of it


class ObservationKey(NamedTuple):
    """A sentence as it is compared."""

    text: str
    fingerprint: str
    words: tuple[str, ...]
    entity: str | None
    asks: tuple[str, str] | None = None  # target and abstraction of what is suggested


def read_noticed(text: str, entity: str | None, suggestion: Suggestion | None = None) -> ObservationKey:
    """Return a cleaned sentence as it is compared; numbers and dates are no words here."""
    compared = (word for word in words(text) if not any(sign.isdigit() for sign in word))
    return ObservationKey(text, fingerprint(text), tuple(sorted(compared)), entity, asked_by(suggestion))


def asked_by(suggestion: Suggestion | None) -> tuple[str, str] | None:
    """Return what a suggestion would make: a pattern that became a fact may come again as a principle."""
    return (suggestion.target, suggestion.abstraction.value) if suggestion else None


def find_known(new: ObservationKey, known: Iterable[Observation]) -> Observation | None:
    """Return the observation that tells of the same thing, open ones before settled ones; None when it is new."""
    found = [(one, alike) for one in known if (alike := likeness(new, one)) >= ALIKE]
    best = max(
        found,
        key=lambda pair: (pair[0].status == ObservationStatus.OPEN, pair[1], -int(pair[0].id.rpartition("-")[2])),
        default=None,
    )
    return best[0] if best else None


def likeness(new: ObservationKey, known: Observation) -> float:
    """Return how much of both is the same, 0 to 1; 0 when they tell of different things however alike the words."""
    if new.entity != known.entity and new.entity is not None and known.entity is not None:
        return 0.0
    if new.asks and known.suggestion and new.asks != asked_by(known.suggestion):
        return 0.0
    if new.fingerprint == known.fingerprint:
        return 1.0
    if not _may_be_alike(frozenset(new.words), frozenset(known.words)):
        return 0.0
    compared = compare(new.text, known.text)
    if compared.kind in EXCLUDING and compared.kind not in _COUNTED:
        return 0.0
    return 1.0 if skeleton(new.text) == skeleton(known.text) else compared.similarity


def _may_be_alike(new: frozenset[str], known: frozenset[str]) -> bool:
    """Tell whether enough words agree; most do not, and comparing sentences takes a hundred times as long."""
    return len(new & known) >= _PERHAPS * len(new | known) > 0
