"""Whether a newer statement gives another value of the very thing that an older one speaks of. Pure.

It does not matter whom the two are filed under: they meet by their own subject, so both have to say it. Statements
meet under a *key*: the attribute with its subject where a sentence states one, and the words without their values.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engram.language.compare.change_words import without_lead
from engram.language.compare.compare import compare
from engram.language.compare.slots import Slot
from engram.language.compare.slots import names_subject
from engram.language.compare.slots import read_slot
from engram.language.compare.slots import same_value
from engram.language.compare.slots import single_valued
from engram.language.compare.tokens import tokenize

MAX_CHARS: Final = 200  # of a statement; a longer one says more than one thing

_CHANGED: Final = frozenset({"number", "date", "version"})  # kinds of comparison: nothing else differs
_FEWEST_WORDS: Final = 2  # beside a value, that say of what it is one

Key = tuple[str, ...]


@lru_cache(maxsize=4096)  # the same candidates answer many questions
def renewal_keys(text: str) -> frozenset[Key]:
    """Return the keys under which a statement meets others about the same value; empty when it has none."""
    if len(text) > MAX_CHARS:
        return frozenset()
    return frozenset(_keys(without_lead(text)))


def is_renewed(old: str, new: str) -> bool:
    """Tell whether the newer statement gives another value than the older one, with which it shares a key."""
    older, newer = without_lead(old), without_lead(new)
    before, after = read_slot(older), read_slot(newer)
    if before and after and _key_of(before) == _key_of(after):
        return not same_value(after.value, before.value)
    return compare(newer, older).kind in _CHANGED


def _keys(text: str) -> Iterator[Key]:
    slot = read_slot(text)
    if slot is not None and single_valued(slot.attribute) and names_subject(slot):
        yield _key_of(slot)
    tokens = tokenize(text)
    told = [key for key in tokens.keys if not key.startswith("#")]
    if len(told) < len(tokens.keys) and len(told) >= _FEWEST_WORDS and not tokens.asks:
        yield ("words", *tokens.keys)


def _key_of(slot: Slot) -> Key:
    return ("slot", slot.attribute, *sorted(tokenize(slot.who).content))
