"""A statement as `updates` reads it: its values with the words beside them, by the files in patterns/updates."""

import itertools
import re
from functools import cache
from functools import lru_cache
from typing import Any
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.compare.updates.update_values import Value
from engram.language.compare.updates.update_values import find_values
from engram.language.compare.updates.update_values import read_files
from engram.language.matching.kept_expressions import kept
from engram.language.terms.terms import stop_words
from engram.language.terms.terms import terms

_AROUND = 90  # characters on each side of a value that may say what it is a value of
_CUE_NEAR = 60  # characters on each side of a value where a cue of change may stand
_BESIDES_NEAR = 30  # characters on each side where a word may say that it is one more value
_LETTER = re.compile(r"(?<=\w )(?![IЯ])[A-ZА-Я](?![\w'’.&-])")  # tells two things apart: server A, server B
_TITLED = re.compile(  # a word in a capital, a number, and what follows
    r"(?<!\w)(?P<word>[A-ZА-ЯЁ][\w-]{1,30}) (?P<number>\d{1,4}(?:\.\d{1,3})?[a-z]?)(?![\w%/:]|[.,]\d)"
    r"(?: (?P<next>[^\W\d_]{1,20}))?"
)
_ORDINAL = kept(
    "第[一二三四五六七八九十百\\d]{1,4}[\u4e00-\u9fff]|(?<!\\w)[qQ][1-4](?!\\w)"
)  # one of several, by its place
_HANGUL = kept("[\uac00-\ud7a3]{1,30}")  # a word; its stem says more than its pairs of syllables
_ELIDED = re.compile(r"(?<![\w'])(?:[cdjlmnst]|qu)'(?=[^\W\d_]{2})")  # what French joins to a word: l'argent
_ELSEWHERE = ("de", "es", "fr")  # languages in Latin letters, besides English, that statements are compared in
_CYRILLIC = re.compile("[\u0400-\u052f]")
_MAX_VALUES = 30  # of a statement that are looked at
_CUT_HEAD = re.compile(r"^[a-zа-я]{1,30}(?=.{80})")  # the word at which the window was cut
_CUT_TAIL = re.compile(r"(?<=.{80})[a-zа-я]{1,30}$")
_SERIES = 2  # more values of one kind and unit in a statement are a series


class Words(NamedTuple):
    """The words of one language."""

    cues: re.Pattern[str]  # phrases that tell of a change
    besides: re.Pattern[str]  # words that say that something is one more, or another one
    never: tuple[re.Pattern[str], ...]  # what was never so, as group `what`
    unreal: re.Pattern[str]  # words beside which nothing is said to have happened
    clauses: re.Pattern[str]  # where a clause ends
    either: re.Pattern[str]  # between two things of which either is meant
    telling: frozenset[str]  # words that make a sentence of what holds them
    filler: tuple[str, ...]  # words that say nothing of the topic


class Reading(NamedTuple):
    """A statement taken apart."""

    folded: str
    values: tuple[Value, ...]
    around: tuple[frozenset[str], ...]  # of each value: the terms beside it, and pairs of neighbours joined by a space
    content: frozenset[str]  # terms of the whole statement, without its values
    names: frozenset[str]  # numbers and letters that only name, such as "sprint 12"
    counted: frozenset[str]  # terms of what its values count

    def is_series(self, value: Value) -> bool:
        """Tell whether a value is one of many of its kind, such as sides or the dates of a plan: none is the value."""
        return sum(other.kind == value.kind and other.unit == value.unit for other in self.values) > _SERIES

    def has_cue(self, value: Value) -> bool:
        """Tell whether a phrase beside a value tells of a change."""
        around = self.folded[max(0, value.start - _CUE_NEAR) : value.end + _CUE_NEAR]
        return any(words.cues.search(around) for words in load_words())

    def is_another(self, value: Value) -> bool:
        """Tell whether a word beside a value says that it is one more, as in "again" and "another"."""
        around = self.folded[max(0, value.start - _BESIDES_NEAR) : value.end + _BESIDES_NEAR]
        return any(words.besides.search(around) for words in load_words())


@lru_cache(maxsize=4096)  # a statement is compared with many
def read_statement(text: str) -> Reading:
    """Take a statement apart. Linear in its length; meant for statements of up to 2,000 characters."""
    folded = fold(text)
    values = tuple(itertools.islice(find_values(folded), _MAX_VALUES))
    bare = folded
    for value in values:
        if value.kind != "name":
            bare = bare[: value.start] + " " * (value.end - value.start) + bare[value.end :]
    named = frozenset(value.shown for value in values if value.kind == "name")
    named |= {f"~{letter}" for letter in _LETTER.findall(text)}
    said = tuple(value for value in values if value.kind != "name")
    around = tuple(_beside(folded, value) | named for value in said)
    counted = frozenset[str]().union(*(value.noun for value in said))
    return Reading(folded, said, around, frozenset(content_terms(bare)) | named, named | _titled(text), counted)


def _titled(text: str) -> frozenset[str]:
    """Return what is numbered by a word in a capital, as in "Tier 2 of it"; not "March 2", and not "Has 2 cats"."""
    lexicon = load_lexicon()
    placed = map(str.casefold, _ORDINAL.findall(text))
    found = ((fold(match["word"]), match["number"], fold(match["next"] or "")) for match in _TITLED.finditer(text))
    titled = (
        f"{word} {number}"
        for word, number, behind in found
        if word not in lexicon.months | lexicon.stop | lexicon.dropped
        and (not behind or behind in lexicon.stop | lexicon.dropped)
    )
    return frozenset((*titled, *placed))


def _beside(folded: str, value: Value) -> frozenset[str]:
    before = content_terms(_CUT_HEAD.sub("", folded[max(0, value.start - _AROUND) : value.start]))
    after = content_terms(_CUT_TAIL.sub("", folded[value.end : value.end + _AROUND]))
    pairs = (f"{a} {b}" for side in (before, after) for a, b in itertools.pairwise(side))
    return frozenset((*before, *after, *pairs))


def content_terms(folded: str) -> list[str]:
    """Return the terms of a text that speak of its topic, in order."""
    found = terms(_ELIDED.sub("", _HANGUL.sub(" ", folded)))
    found += [root for word in _HANGUL.findall(folded) if len(root := stem(word)) > 1]
    return [
        term for term in found if not term[0].isdigit() and term not in _filler(cyrillic=bool(_CYRILLIC.search(term)))
    ]


@lru_cache(maxsize=4096)  # a statement is compared with many
def telling_words(folded: str) -> frozenset[str]:
    """Return the terms of the phrases in a text that tell of a change: they do not say what has changed."""
    found = (match.group() for words in load_words() for match in words.cues.finditer(folded))
    return frozenset(term for phrase in found for term in terms(phrase))


@cache
def _filler(*, cyrillic: bool) -> frozenset[str]:
    """Return the terms of filler words in Cyrillic letters, or in others: only the former need a dictionary.

    `terms` takes Latin letters for English, and drops the stop words of that alone.
    """
    words = [word for one in load_words() for word in one.filler if bool(_CYRILLIC.search(word)) == cyrillic]
    if not cyrillic:
        words += [word for language in _ELSEWHERE for word in sorted(stop_words(language))]
    return frozenset((*terms(" ".join(words)), *map(stem, words)))


@cache
def load_words() -> tuple[Words, ...]:
    """Read the words of every language once."""
    return tuple(map(_words, read_files()))


def _words(data: dict[str, Any]) -> Words:
    return Words(
        cues=kept(rf"(?<![a-zа-я])(?:{'|'.join(data['cues'])})(?![a-zа-я])"),
        besides=kept(rf"(?<![a-zа-я])(?:{data['besides']})(?![a-zа-я])"),
        never=tuple(re.compile(rf"(?<![a-zа-я]){pattern}") for pattern in data["never"]),
        unreal=kept(rf"(?<![a-zа-я])(?:{data['unreal']})(?![a-z])"),
        clauses=re.compile(data["clauses"]),
        either=re.compile(data["either"]),
        telling=frozenset(data["telling"].split()),
        filler=tuple(data["filler"].split()),
    )
