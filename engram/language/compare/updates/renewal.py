"""Whether a newer statement gives another value of the very thing that an older one speaks of. Pure.

This is the one definition: what is written decides by it what it takes the place of, and recall what is out of date.
It does not matter whom the two are filed under: they meet by their own subject, so both have to say it. Statements
meet under a *key*: the attribute with its subject where a sentence states one, the words without their values, and the
first words of what they are about. The last is enough only when the newer one tells itself of a change.
"""

import datetime as dt
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import may_hold_value
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.slots.answers import part_answer
from engram.language.compare.slots.clauses import read_clauses
from engram.language.compare.slots.slots import Slot
from engram.language.compare.slots.slots import names_subject
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.change_words import other_stop_words
from engram.language.compare.updates.change_words import without_change_words
from engram.language.compare.updates.former_values import find_former_values
from engram.language.compare.updates.former_values import says_former_value
from engram.language.compare.updates.topic import find_topic
from engram.language.compare.updates.topic import is_same_topic
from engram.language.compare.updates.topic import leading_terms
from engram.language.compare.updates.update_statement import content_terms
from engram.language.dates.dates import ABSOLUTE
from engram.language.dates.dates import find_dates

MAX_CHARS: Final = 200  # of a statement that says the same as another one but for a value

_CHANGED: Final = frozenset({"number", "date", "version"})  # kinds of comparison: nothing else differs
_SURE: Final = 0.85  # least confidence of an end that is told
_FEWEST_WORDS: Final = 2  # beside a value, that say of what it is one

Key = str  # its parts with tabs between them


@lru_cache(maxsize=16384)  # the same candidates answer many questions, and a statement is compared with many
def renewal_keys(text: str) -> frozenset[Key]:
    """Return the keys under which a statement meets others about the same value; empty when it has none."""
    about = _topic_keys(text)
    return _same_words_keys(text) | about | (frozenset(map(_of_change, about)) if announces_change(text) else about)


@lru_cache(maxsize=16384)
def sought_keys(text: str) -> frozenset[Key]:
    """Return those of all keys under which a statement has to be looked for among many: one of two tells of a change.

    Under the first words of what it is about it needs to meet only such statements, unless it is one itself.
    """
    about = _topic_keys(text)
    return _same_words_keys(text) | (about if announces_change(text) else frozenset(map(_of_change, about)))


def is_renewed(old: str, new: str) -> bool:
    """Tell whether the newer statement gives another value than the older one of the same thing."""
    if is_restated(old, new):
        return True
    if not announces_change(new) or tokenize(new).asks or read_clauses(old) or read_clauses(new):
        return False  # of several clauses one may hold on
    return _is_told_anew(old, new) or _is_ended(old, new) or _is_handed_over(old, new)


def moves_a_day(old: str, new: str) -> bool:
    """Tell whether the newer statement gives another day of what the older one names a day of: "slipped to 9 May"."""
    topic = find_topic(new)
    return topic is not None and topic.kind.startswith(DATE) and is_renewed(old, new)


def names_its_day(text: str, said_on: dt.date) -> bool:
    """Tell whether a statement names the day on which it was said, as a record of that day does: "reviewed 5 May"."""
    dates = find_dates(text[:MAX_CHARS], said_on)
    return any(one.kind == ABSOLUTE and one.first == one.last == said_on for one in dates)


def is_restated(old: str, new: str) -> bool:
    """Tell whether the newer statement says the same as the older one but for another value."""
    if not is_same_statement_but_for_values(old, new):
        return False
    if (was := part_answer(old)) and (answer := part_answer(new)):
        return not same_value(was[1], answer[1])
    older, newer = without_change_words(old), without_change_words(new)
    before, after = read_slot(older), read_slot(newer)
    if before and after and _slot_key(before) == _slot_key(after):
        return not same_value(after.value, before.value)
    return compare(newer, older).kind in _CHANGED


def is_same_statement_but_for_values(one: str, other: str) -> bool:
    """Tell whether two statements are of the same attribute of one subject, or the same but for their values."""
    return bool(_same_words_keys(one) & _same_words_keys(other))


def _is_told_anew(old: str, new: str) -> bool:
    newer, older = find_topic(new), find_topic(old)
    return newer is not None and older is not None and is_same_topic(newer, older)


def _is_ended(old: str, new: str) -> bool:
    """Tell whether the newer statement says that just what the older one says is over, naming all of it."""
    said, told = (frozenset(content_terms(fold(text))) for text in (old, new))
    left_out = said - told - load_lexicon().usage - other_stop_words()
    former = (one for one in find_former_values(new) if not one.is_gone and says_former_value(old, one))
    if said and any(left_out <= _label_of(one.was, old) for one in former):
        return True
    if not said or left_out:
        return False
    found = compare(without_change_words(new), without_change_words(old))
    return found.kind == "cessation" and found.confidence >= _SURE


def _label_of(value: str, text: str) -> frozenset[str]:
    """Return the terms of the word that stands right before a value: "port 8080"."""
    before = fold(text).partition(value)[0].split()
    return frozenset(content_terms(before[-1])) if before else frozenset()


def _is_handed_over(old: str, new: str) -> bool:
    """Tell whether others do now what the older statement says of one who is gone: "Jonas left, Mira signs it off"."""
    folded = fold(old)
    for former in find_former_values(new):
        if former.is_gone and folded.startswith(former.was) and says_former_value(old, former):
            names = {*content_terms(former.was), *content_terms(fold(" ".join(_names_in(old))))}
            done = frozenset(content_terms(folded)) - names
            shared = done & frozenset(content_terms(fold(new)))
            return len(shared) >= _FEWEST_WORDS and 2 * len(shared) >= len(done)
    return False


def _names_in(text: str) -> list[str]:
    return [word for word in text.split() if word[0].isupper()]


@lru_cache(maxsize=16384)
def _same_words_keys(text: str) -> frozenset[Key]:
    if len(text) > MAX_CHARS:
        return frozenset()
    return frozenset(map("\t".join, _keys(without_change_words(text))))


@lru_cache(maxsize=16384)
def _topic_keys(text: str) -> frozenset[Key]:
    topic = find_topic(text)
    of_kind = (f"about\t{topic.kind}\t{term}" for term in topic.leading) if topic is not None else ()
    return frozenset([*of_kind, *(f"about\t{term}" for term in leading_terms(text))])


def _of_change(key: Key) -> Key:
    """Return the key of the statements under it that tell of a change."""
    return f"change\t{key}"


def _keys(text: str) -> Iterator[tuple[str, ...]]:
    slot = read_slot(text)
    if slot is not None and single_valued(slot.attribute) and names_subject(slot):
        yield _slot_key(slot)
    if (answered := part_answer(text)) is not None:
        yield ("asked", fold(answered[0]))
        return
    if not may_hold_value(text):
        return
    tokens = tokenize(text)
    told = [key for key in tokens.keys if not key.startswith("#")]
    if len(told) < len(tokens.keys) and len(told) >= _FEWEST_WORDS and not tokens.asks:
        yield ("words", *tokens.keys)


def _slot_key(slot: Slot) -> tuple[str, ...]:
    return ("slot", slot.attribute, *sorted(tokenize(slot.who).content))
