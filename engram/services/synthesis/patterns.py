"""What comes again and again: patterns from repeated episodes, principles from patterns, lines for MEMORY.md. Pure.

Everything here is a candidate: a person, or the setting that speaks for her, decides. An *occasion* is a day on which
something was said, or the conversation in which it was when the day is not known; saying a thing twice in one note is
one occasion.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.tokens import NAME
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import tokenize
from engram.model.comparison import EXCLUDING
from engram.model.fact import Abstraction
from engram.model.fact import Category

PATTERN_OCCASIONS: Final = 3  # days on which an episode has to be said to be a pattern
PRINCIPLE_WEEKS: Final = 4  # in which a pattern has to be seen to be a principle: about a month of work
STANDING_OCCASIONS: Final = 2  # from which a preference is a standing one
MOST_FACTS: Final = 500  # of one entity that are compared with each other, the newest
_ALIKE = 0.6  # share of common words from which two statements say the same
_LEAST_WORDS = 4  # of a statement that is compared by words: in a shorter one each word makes the difference
_COUNTED = frozenset({"number", "date", "version"})  # kinds of difference that make no other thing of it
_TELLING = frozenset({NAME, VERSION})  # kinds of numbers that say of which one something is said
_SURE = 0.7  # confidence from which a preference may stand in MEMORY.md
_WORTH = 0.6  # importance from which a line is proposed for MEMORY.md, which is loaded every time
_STANDING = frozenset([Category.PREFERENCE, Category.CORRECTION, Category.INSTRUCTION])


class Said(NamedTuple):
    """One active fact, as far as it matters here."""

    id: str
    entity: str
    text: str
    category: Category
    abstraction: Abstraction
    confidence: float
    skeleton: str  # stems; equal for statements that differ in numbers, dates or polarity only
    slot: tuple[str, str] | None  # attribute and value
    occasions: frozenset[str]  # days as YYYY-MM-DD, or other names; also those of what it was derived from
    is_disputed: bool = False  # a tension is or was about it
    is_trusted: bool = True
    is_hot: bool = False
    is_pinned: bool = False
    importance: float = 1.0  # see `rules.life.importance`


def pattern_key(target: str, abstraction: Abstraction, sources: Sequence[str]) -> str:
    """Return what stays the same of a pattern when more evidence comes."""
    return f"{target}:{abstraction.value}:{sources[0]}"


class Candidate(NamedTuple):
    """Something to be decided."""

    target: str  # fact, memory
    entity: str
    text: str
    category: Category
    abstraction: Abstraction
    sources: tuple[str, ...]  # ids of the facts that speak for it, oldest first
    occasions: int
    importance: float = 0.0  # of the weightiest of them

    @property
    def key(self) -> str:
        """What stays the same when more evidence comes."""
        return pattern_key(self.target, self.abstraction, self.sources)


def find_patterns(said: Sequence[Said], least: int = PATTERN_OCCASIONS) -> list[Candidate]:
    """Return what was said of one entity on at least that many occasions and is no pattern yet.

    Statements are one when they differ in nothing but dates and amounts, or share most of their words. A number that
    names or counts ("step 05", "v1.2", "3 clients") makes another statement of it. Facts in the same slot
    with different values are changes and not repetitions. The newest words speak for all.
    """
    newest = sorted(said, key=_age)[-MOST_FACTS:]
    if len(frozenset().union(*(one.occasions for one in newest))) < least:
        return []  # so it is with most entities, and comparing all of their facts is dear
    settled = [one for one in newest if one.abstraction != Abstraction.EPISODE]
    found = []
    for group in _groups([one for one in newest if one.abstraction == Abstraction.EPISODE]):
        occasions = frozenset().union(*(one.occasions for one in group))
        if len(occasions) < least or any(one.is_disputed for one in group):
            continue
        if not any(_is_same(known, one) for known in settled for one in group):
            found.append(_candidate(group, Abstraction.PATTERN, len(occasions)))
    return found


def occasions_of_same(said: Sequence[Said], fact_id: str) -> frozenset[str]:
    """Return the occasions on which a fact was said, itself or as another one of them that says the same."""
    groups = _groups(sorted(said, key=_age)[-MOST_FACTS:])
    group = next((one for one in groups if any(each.id == fact_id for each in one)), [])
    return frozenset().union(*(one.occasions for one in group))


def find_principles(said: Sequence[Said], weeks: int) -> list[Candidate]:
    """Return the patterns of one entity that were seen in at least that many weeks and never contradicted."""
    patterns = [one for one in sorted(said, key=_age) if one.abstraction == Abstraction.PATTERN]
    seen = {one.id: len(weeks_of(one.occasions)) for one in patterns}
    stable = [one for one in patterns if seen[one.id] >= weeks and not one.is_disputed]
    return [_candidate([one], Abstraction.PRINCIPLE, seen[one.id]) for one in stable]


def weeks_of(occasions: Iterable[str]) -> set[tuple[int, int]]:
    """Return the weeks of the occasions of which the day is known, as year and number."""
    weeks = set()
    for occasion in occasions:
        try:
            weeks.add(dt.date.fromisoformat(occasion).isocalendar()[:2])
        except ValueError:  # no day is known of it
            continue
    return weeks


def find_memory_lines(said: Iterable[Said], owner: str, already: frozenset[str]) -> list[Candidate]:
    """Return what should always be loaded: principles, and the owner's standing preferences that are in use.

    A preference is in use while it is hot or pinned, and standing when it is pinned or was said more than once.
    Nothing whose source is not trusted comes in, nor what is of little importance. `already` are ids that stand in
    MEMORY.md. The weightiest come first.
    """
    found = []
    for one in said:
        if one.id in already or not one.is_trusted or one.is_disputed or one.importance < _WORTH:
            continue
        is_standing = one.is_pinned or (one.is_hot and len(one.occasions) >= STANDING_OCCASIONS)
        is_preference = one.entity == owner and one.category in _STANDING and one.confidence >= _SURE
        if one.abstraction == Abstraction.PRINCIPLE or (is_preference and is_standing):
            found.append(one)
    ranked = sorted(found, key=lambda one: (not one.is_pinned, -round(one.importance, 2), _age(one)))
    return [_candidate([one], one.abstraction, len(one.occasions), target="memory") for one in ranked]


def _candidate(group: Sequence[Said], abstraction: Abstraction, occasions: int, target: str = "fact") -> Candidate:
    newest = group[-1]
    sources = tuple(one.id for one in group)
    weight = max(one.importance for one in group)
    return Candidate(target, newest.entity, newest.text, newest.category, abstraction, sources, occasions, weight)


def _groups(said: Sequence[Said]) -> list[list[Said]]:
    """Return the statements, oldest first, each with those after it that say the same as the first of them."""
    groups: list[list[Said]] = []
    by_skeleton: dict[str, list[Said]] = {}
    for one in said:
        near = by_skeleton.get(one.skeleton)
        tried = [near, *(known for known in groups if known is not near)] if near else groups
        group = next((known for known in tried if _is_same(known[0], one)), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(one)
        by_skeleton.setdefault(one.skeleton, group)
    return groups


def _is_same(one: Said, other: Said) -> bool:
    if not _has_room(one, other):
        return False
    if one.skeleton != other.skeleton:
        words, others = _words(one.skeleton), _words(other.skeleton)
        if min(len(words), len(others)) < _LEAST_WORDS or len(words & others) < _ALIKE * len(words | others):
            return False
    if one.text == other.text:
        return True
    if _telling_numbers(one.text) != _telling_numbers(other.text):
        return False
    # Comparing takes a thousand times as long as counting words, so it comes last.
    kind = compare(one.text, other.text).kind
    return kind not in EXCLUDING or kind in _COUNTED


@lru_cache(maxsize=4 * MOST_FACTS)
def _words(skeleton: str) -> frozenset[str]:
    return frozenset(skeleton.split())


@lru_cache(maxsize=4 * MOST_FACTS)
def _telling_numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of a statement that are neither days nor amounts: what it says, it says of these."""
    items = tokenize(text).items
    return tuple(sorted(one.value for one in items if one.kind in _TELLING or (one.kind == NUMBER and one.key == "#")))


def _has_room(one: Said, other: Said) -> bool:
    """Tell whether nothing in the slots of two statements makes them different ones."""
    if one.slot is None or other.slot is None:
        return one.category == other.category
    return one.slot == other.slot


def _age(one: Said) -> tuple[int, str]:
    return int(one.id.rpartition("-")[2]), one.id
