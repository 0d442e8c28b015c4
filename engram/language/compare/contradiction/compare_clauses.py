"""How the clauses of two statements about one entity stand to each other: whether one of them excludes another one."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.compare import words
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.slots.clauses import Clause
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.model.comparison import EXCLUDING

_CONFIDENCE = 0.8  # of a contradiction between the values of two clauses
_ENDED = frozenset({"cessation", "polarity"})  # kinds by which a clause ends or denies another one


class ClauseConflict(NamedTuple):
    """Two clauses that cannot both hold."""

    kind: str  # of a comparison: attribute, cessation, polarity
    confidence: float  # 0 to 1
    why: str  # a reason in words, for people
    attribute: str | None  # of which there are two values


def find_clause_conflict(new: Sequence[Clause], old: Sequence[Clause]) -> ClauseConflict | None:
    """Return the first conflict between a clause of the newer and one of the older statement, else None.

    The clauses are about one entity, and so are their slots. A statement of one clause is that clause.
    """
    pairs = [(after, before) for after in new for before in old]
    found = (_changed(*pair) for pair in pairs)
    ended = (_ended(*pair) for pair in pairs)
    return next(filter(None, found), None) or next(filter(None, ended), None)


def leaves_out(new: Sequence[Clause], old: Sequence[Clause]) -> bool:
    """Tell whether the older statement says something that the newer one neither says again nor excludes."""
    return not all(any(_tells_of(after, before) for after in new) for before in old)


@lru_cache(maxsize=8192)  # asked again for each statement that the text is compared with
def may_end(text: str) -> bool:
    """Tell whether a statement says that something is not so, or not any more, or something else instead."""
    tokens = tokenize(text)
    replaced = load_lexicon().replaced
    return tokens.ceased or tokens.negated or any(sentence.search(tokens.folded) for sentence in replaced)


def _changed(new: Clause, old: Clause) -> ClauseConflict | None:
    if not new.slot or not old.slot or new.slot.attribute != old.slot.attribute:
        return None
    if not single_valued(new.slot.attribute) or same_value(new.slot.value, old.slot.value):
        return None
    attribute, before, after = new.slot.attribute, old.slot.value, new.slot.value
    return ClauseConflict("attribute", _CONFIDENCE, f"{attribute}: {before} became {after}", attribute)


def _ended(new: Clause, old: Clause) -> ClauseConflict | None:
    if not new.text or not old.text or not (may_end(new.text) or may_end(old.text)):
        return None
    found = compare(new.text, old.text)
    if found.kind not in _ENDED:
        return None
    return ClauseConflict(found.kind, found.confidence, f"{found.why}: {old.text}", None)


def _tells_of(new: Clause, old: Clause) -> bool:
    if new.slot and old.slot and new.slot.attribute == old.slot.attribute:
        return True
    return words(old.text) <= words(new.text) or compare(new.text, old.text).kind in EXCLUDING
