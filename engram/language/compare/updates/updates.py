"""Whether a newer statement brings up to date what an older one of the same entity says, in other words.

`contradiction.compare` judges statements that differ in one place. People rather mention a new value in passing: "we
have now reached 165 merged commits" after "the repository holds 150 commits". Two statements belong together when the
words around a value of the same kind are the same, and rare among the entity's statements (inverse document
frequency). A statement that something was never so belongs to one that says it was, when that one holds most of its
words.

It is evidence for somebody to look at, never a reason to take a fact back. An *update* is of one and the same thing:
nothing else differs, or a word of change stands beside the new value and half of the words are the same. What only has
words around its value in common is a *mention*: a hint for whoever compares, and no conflict.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.recurrence import is_logged
from engram.language.compare.reading.recurrence import is_occasion
from engram.language.compare.updates.update_statement import Reading
from engram.language.compare.updates.update_statement import Words
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import load_words
from engram.language.compare.updates.update_statement import read_statement
from engram.language.compare.updates.update_statement import telling_words
from engram.language.compare.updates.update_values import Value
from engram.language.matching.kept_expressions import kept
from engram.language.terms.terms import terms
from engram.model.comparison import Comparison

MAX_CHARS = 2000  # of a statement that is read

_WEIGHT_WITH_CUE = 1.2  # of the shared words from which a value beside a cue of change is an update
_WEIGHT_PLAIN = 1.6  # the same without a cue
_SIDE_BY_SIDE = 0.5  # weight of two shared words that stand side by side in both
_LEAST_SHARED = 2  # words that must be shared
_SHORT = 80  # characters up to which a statement speaks of one thing only
_PRIOR = 5  # statements about other things that stand for those of an entity of which little is known yet
_DENIED = 0.5  # share, by weight, of the words of a denial that the other statement must hold
_WEIGHT_DENIED = 1.2  # weight of these words
_MOMENTS = frozenset({"date", "clock"})  # what is put off: whoever says so names the thing in a word or two
_LEAST_NAMED = 3  # terms of a thing of which something is said
_MOST_SAID = 8  # words that are said of it
_MOST_WORDS_OF_VALUE = 3  # words of a value without a number, such as a name
_LONGEST_EASTERN_NAME = 8  # characters
_MOSTLY = 0.5  # share, by weight, of the words of the shorter statement that the other one must hold to speak of it
_CONFIDENCE = 0.6
_CONFIDENCE_OF_MENTION = 0.4
_ID = re.compile(r"\d{12}")
_WORD = re.compile(r"\w{1,40}")
_EASTERN = kept("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


class _Change(NamedTuple):
    """A value that seems to have changed."""

    why: str  # which became which, in words
    certain: bool  # both statements speak of one thing


class Weights:
    """How rare each term is among the statements of an entity; they are counted when the first term is asked for."""

    def __init__(self, statements: Iterable[str]) -> None:
        """Take the statements."""
        self._statements = tuple(statements)

    def of(self, term: str) -> float:
        """Return 0 for a term that stands everywhere to nearly 1 for one that stands in one of many statements."""
        count = self._frequency.get(term, 1)
        statements = len(self._statements) + _PRIOR
        return math.log((statements + 1.5) / (count + 0.5)) / math.log((statements + 1.5) / 0.5)

    @cached_property
    def _frequency(self) -> Mapping[str, int]:
        """Terms with the number of statements that hold them; most statements are compared without it."""
        contents = (read_statement(text[:MAX_CHARS]).content for text in self._statements)
        return Counter(term for content in contents for term in content)


def weigh(statements: Iterable[str]) -> Weights:
    """Tell in how many of an entity's statements each term stands."""
    return Weights(statements)


def find_update(new: str, old: str, weights: Weights) -> Comparison | None:
    """Return an `update` or a `mention` when the newer statement changes what the older one says, else None.

    Not symmetric.
    """
    newer, older = read_statement(new[:MAX_CHARS]), read_statement(old[:MAX_CHARS])
    if is_logged(newer.folded) or is_logged(older.folded):
        return None
    found = _changed_value(newer, older, weights) or _stated_value(newer, older)
    if found is None or not found.certain:
        denied = _denied(newer, older, weights) or _denied(older, newer, weights)
        found = _Change(denied, certain=True) if denied else found
    if found is None:
        return None
    alike = len(newer.content & older.content) / max(1, len(newer.content | older.content))
    if found.certain:
        return Comparison("update", _CONFIDENCE, alike, found.why)
    return Comparison("mention", _CONFIDENCE_OF_MENTION, alike, found.why)


# --- a value that changed ----------------------------------------------------------------------------------------


def _changed_value(new: Reading, old: Reading, weights: Weights) -> _Change | None:
    """Return which value became which: the pair with the most weight of shared words around it."""
    best, change = 0.0, None
    if not (new.values and old.values):
        return None
    same_thing = _speak_of_one_thing(new, old)
    if same_thing is False:
        return None
    # Long statements about what happened may count it up; short ones tell of two occasions unless a cue stands there.
    occasions = same_thing and is_occasion(new.folded) and is_occasion(old.folded)
    for i, j in _pairs(new, old):
        after, before = new.values[i], old.values[j]
        common = new.around[i] & old.around[j]
        shared = frozenset(term for term in common if " " not in term)
        weight = sum(map(weights.of, shared)) + _SIDE_BY_SIDE * (len(common) - len(shared))
        cued = new.has_cue(after)
        if occasions and not cued:
            continue
        enough = len(shared) >= _LEAST_SHARED and weight >= (_WEIGHT_WITH_CUE if cued else _WEIGHT_PLAIN)
        is_moved = cued and after.kind in _MOMENTS and not _own_words(new, old)[0]
        if (enough or ((is_moved or (same_thing and cued)) and shared)) and weight > best:
            why = f"{before.shown} became {after.shown} ({', '.join(_as_written(shared, new.folded))})"
            certain = after.unit == before.unit and _speak_of_the_same(new, old, weights, cued=cued)
            best, change = weight, _Change(why, certain=certain)
    return change


def _speak_of_the_same(new: Reading, old: Reading, weights: Weights, *, cued: bool) -> bool:
    """Tell whether two statements are of one thing, however long.

    Then only one of them says more than the other, or the newer one tells of a change and names most of it again.
    """
    if _name_others(new, old) or _differ_twice(new, old):
        return False
    mine, theirs = _own_words(new, old)
    if not (mine and theirs) and not _EASTERN.search(new.folded + old.folded):
        return True
    shorter = min(new.content, old.content, key=lambda content: sum(map(weights.of, content)))
    shared = sum(map(weights.of, new.content & old.content))
    return cued and shared >= _MOSTLY * sum(map(weights.of, shorter))


def _name_others(new: Reading, old: Reading) -> bool:
    """Tell whether each names something by a number or a letter that the other one does not name."""
    return bool(new.names - old.names and old.names - new.names)


def _own_words(new: Reading, old: Reading) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that only one of them has, without those that tell of a change and those that are counted."""
    besides = (telling_words(new.folded), telling_words(old.folded), new.counted, old.counted)
    return new.content.difference(old.content, *besides), old.content.difference(new.content, *besides)


def _as_written(shared: frozenset[str], folded: str) -> list[str]:
    """Return the words of a text that stand for these terms, in its order."""
    words = ((word, shared.intersection(content_terms(word))) for word in _WORD.findall(folded))
    first_of = {found: word for word, found in reversed([pair for pair in words if pair[1]])}
    return sorted(first_of.values(), key=folded.find)


def _speak_of_one_thing(new: Reading, old: Reading) -> bool | None:
    """Tell of short statements whether they differ in the value only; None when a long one leaves it open.

    Each may add words, but when both have words of their own, they speak of two things: the office in Lisbon has 12
    desks, the office in Porto has 20.
    """
    if max(len(new.folded), len(old.folded)) > _SHORT or _EASTERN.search(new.folded + old.folded):
        return None  # without spaces the words of one's own cannot be told
    mine, theirs = _own_words(new, old)
    if (mine and theirs) or _differ_twice(new, old):
        return False
    return True if not mine and not theirs else None


def _differ_twice(new: Reading, old: Reading) -> bool:
    """Tell whether two values of one kind differ: then it is the next row of a table, not a change of this one."""
    held = {(value.kind, value.value) for value in old.values}
    changed = [value.kind for value in new.values if not value.begins and (value.kind, value.value) not in held]
    return len(set(changed)) < len(changed)


def _pairs(new: Reading, old: Reading) -> Iterator[tuple[int, int]]:
    """Yield the places of a newer and an older value of which one may have replaced the other."""
    for i, after in enumerate(new.values):
        stays = any(value.same(after) for value in old.values)
        if stays or after.begins or new.is_series(after) or new.is_another(after):
            continue
        # "from 10 to 20" says which value it was before; else a value that both statements name has not changed.
        begun = [value for value in new.values if value.begins and value.kind == after.kind]
        for j, before in enumerate(old.values):
            named = any(value.same(before) for value in begun or new.values)
            if before.begins or old.is_series(before) or named != bool(begun) or not after.replaces(before):
                continue
            if _count_the_same(after, before, new.around[i], old.around[j]):
                yield i, j


def _count_the_same(after: Value, before: Value, beside: frozenset[str], around: frozenset[str]) -> bool:
    """Tell whether both count the same; of a bare number the words around it have to say what it counts."""
    if after.kind != "count" or after.unit in before.noun or before.unit in after.noun:
        return True
    if not after.noun and not before.noun:
        return any(" " in term for term in beside & around)
    if after.noun and before.noun:
        return False
    return bool(before.noun & beside) or bool(after.noun & around)


# --- what a thing is said to be ----------------------------------------------------------------------------------


def _stated_value(new: Reading, old: Reading) -> _Change | None:
    """Return what became what when both say, after a colon, what one and the same thing is.

    Of a rule or a lesson there are many, and each is a sentence; what there is one of is a name or an amount.
    """
    newer, older = _labelled(new.folded), _labelled(old.folded)
    if newer is None or older is None or newer[0] != older[0] or terms(newer[1]) == terms(older[1]):
        return None
    certain = all(_is_value(what) for _, what in (newer, older)) and not _name_others(new, old)
    return _Change(f"{older[1]} became {newer[1]}", certain=certain)


def _is_value(what: str) -> bool:
    """Tell whether it is a name or an amount, not a sentence and not the number that a program gives a thing."""
    if _ID.search(what):
        return False
    if _EASTERN.search(what):
        return len(what) <= _LONGEST_EASTERN_NAME or bool(read_statement(what).values)
    spoken = what.split()
    if not any(words.telling.intersection(spoken) for words in load_words()) and len(spoken) <= _MOST_WORDS_OF_VALUE:
        return True
    return bool(read_statement(what).values) and len(spoken) <= _MOST_WORDS_OF_VALUE + 1


@lru_cache(maxsize=8192)  # a statement is compared with many
def _labelled(folded: str) -> tuple[str, str] | None:
    """Return the thing and what it is; None when the thing has few words, or what is said of it has many."""
    thing, colon, what = folded.strip(" .!").rpartition(": ")
    if not colon or len(terms(thing)) < _LEAST_NAMED or len(what.split()) > _MOST_SAID:
        return None
    return thing, what


# --- what was never so -------------------------------------------------------------------------------------------


def _denied(denying: Reading, saying: Reading, weights: Weights) -> str | None:
    """Return in words what one statement says never was, when the other one says that it was."""
    for words, said, things, others in _denials(denying.folded):
        if (not others or others & saying.content) and any(_says(saying, one, words, weights) for one in things):
            return f"one says that it never was so: {said.strip()}"
    return None


@lru_cache(maxsize=4096)  # a statement is compared with many
def _denials(folded: str) -> tuple[tuple[Words, str, list[frozenset[str]], frozenset[str]], ...]:
    """Return what a statement says never was: each with its words, its things, and of whom it is said."""
    found = ((words, match) for words in load_words() for one in words.never for match in one.finditer(folded))
    return tuple(
        (words, match.group(), _alternatives(match["what"], words), _others(match, words)) for words, match in found
    )


def _others(match: re.Match[str], words: Words) -> frozenset[str]:
    """Return the terms for whom or what a denial is about, when its own words do not say it."""
    if not match.groupdict().get("other"):
        return frozenset()
    return frozenset(content_terms(words.clauses.split(match.string[: match.start()])[-1]))


def _alternatives(denied: str, words: Words) -> list[frozenset[str]]:
    """Return the terms of each thing that is denied: "wrote any tests or docs" denies two, both with the verb."""
    first, *others = [content_terms(part) for part in words.either.split(denied)]
    return [frozenset(first), *(frozenset((*first[:1], *other)) for other in others)]


def _says(saying: Reading, denied: frozenset[str], words: Words, weights: Weights) -> bool:
    held = denied & saying.content
    weight = sum(map(weights.of, held))
    if len(held) < _LEAST_SHARED or weight < _WEIGHT_DENIED or weight < _DENIED * sum(map(weights.of, denied)):
        return False
    clauses = words.clauses.split(saying.folded)
    told = [(len(held & frozenset(content_terms(clause))), clause) for clause in clauses]
    most = max(count for count, _ in told)
    return not any(words.unreal.search(clause) for count, clause in told if count == most)
