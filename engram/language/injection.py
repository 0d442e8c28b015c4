"""Text that tries to give orders to the agent that reads it: found by rules, through disguises and encodings."""

import os
import re
import tomllib
from collections.abc import Iterator
from collections.abc import Sequence
from functools import cache
from typing import Any
from typing import NamedTuple

from engram.language.disguises import Vocabulary
from engram.language.disguises import disguised
from engram.language.expressions import compiled
from engram.language.readings import GAPLESS
from engram.language.readings import STEM
from engram.language.readings import Reading
from engram.language.readings import plain
from engram.language.readings import stems
from engram.language.readings import words_of

_MOST_READ = 200_000  # characters of one text that are looked at
_MOST_FOUND = 100  # orders of one rule in one reading
_OWN_RULE = "matches a pattern of the settings"
_GAP = r"[\s*~`\"“”«»>#|]"  # what may stand between two words: white space, marks of Markdown, quotation marks
_BEFORE = 200  # characters before and
_STEP = 100  # between two places of a phrase that are looked at
_BEHIND = 400  # behind a phrase in which its rule is tried
_HIDING = (
    ("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{3,}", "hides text in tag characters"),
    ("[\u202d\u202e]", "turns the direction of text round"),
    ("[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u00ad]{8,}", "hides text in invisible characters"),
    ("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}", "hides text in variation selectors"),
)


class Injection(NamedTuple):
    """An order to the agent, and where it stands."""

    start: int  # characters from the beginning of the text
    end: int  # characters, exclusive
    text: str  # the order as it stands in the text
    rule: str  # what gave it away, in words


class _Rule(NamedTuple):
    name: str  # in words, as a predicate
    near: tuple[str, ...]  # one of them stands in every text that can match
    also: tuple[str, ...]  # and one of these not far from it; empty: no more is asked
    script: str  # characters of which a text in the rule's languages holds one
    source: str  # the expression; a blank in the file is any gap between words


class _Rules(NamedTuple):
    rules: tuple[_Rule, ...]
    by_stem: dict[str, tuple[tuple[int, str], ...]]  # the start of a word -> the rules near a phrase that holds it
    direct: dict[str, tuple[tuple[int, str], ...]]  # a script -> the rules near a phrase without such a word
    vocabulary: Vocabulary


def find_injection(text: str, own: Sequence[str] = ()) -> Injection | None:
    """Return the first order to the agent that a rule finds, or None.

    Looks through NFKC, invisible characters, letters of another script, spread and broken letters, digits for
    letters, reversed text, rot13, entities, escapes, hexadecimal, binary, base64 and base32. `own` holds expressions
    of the person's settings, which are read without regard to case. Linear in the length of the text, of which the
    first 200,000 characters are read.
    """
    return next(_find(text, own), None)


def find_injections(text: str, own: Sequence[str] = ()) -> tuple[Injection, ...]:
    """Return every order that a rule finds, by place; one stretch may be found by several rules."""
    found: dict[tuple[int, int, str], Injection] = {}
    for one in _find(text, own):
        found.setdefault((one.start, one.end, one.rule.partition(" (")[0]), one)
    return tuple(sorted(found.values()))


def _find(text: str, own: Sequence[str]) -> Iterator[Injection]:
    text = text[:_MOST_READ]
    if not text.isascii():
        for source, name in _HIDING:
            for match in compiled(source).finditer(text):
                yield Injection(match.start(), match.end(), match.group(), name)
    known = _known()
    base = plain(text)
    low = base.text.lower()
    words = words_of(low)
    yield from _search(base, text, low, words, known)
    yield from _search_own(base, text, own)
    for reading in disguised(base, low, words, known.vocabulary):
        read = reading.text.lower()
        yield from _search(reading, text, read, words_of(read), known)
        yield from _search_own(reading, text, own)


def _search_own(reading: Reading, text: str, own: Sequence[str]) -> Iterator[Injection]:
    for source in own:
        rule = _Rule(_OWN_RULE, (), (), "", f"(?i:{source})")
        yield from _matches(rule, reading, text, [(0, len(reading.text))])


def _search(reading: Reading, text: str, low: str, words: list[str], known: _Rules) -> Iterator[Injection]:
    near: dict[int, list[int]] = {}
    even = " ".join(low.replace("*", " ").split())
    for number, phrase in _candidates(low, words, known):
        near.setdefault(number, []).extend(_places(phrase, low, even))
    for number in sorted(near):
        stretches = _stretches(near[number], low)
        yield from _matches(known.rules[number], reading._replace(text=low), text, stretches)


def _candidates(low: str, words: list[str], known: _Rules) -> Iterator[tuple[int, str]]:
    for stem in stems(words) & known.by_stem.keys():
        yield from known.by_stem[stem]
    for script, phrases in known.direct.items():
        if compiled(script).search(low):
            yield from phrases


def _places(phrase: str, low: str, even: str) -> list[int]:
    """Return where the phrase stands; everywhere, when some of its words stand apart by more than a blank."""
    if " " in phrase.strip() and even.count(phrase) > low.count(phrase):
        return list(range(0, len(low), _BEHIND))
    places = []
    place = low.find(phrase)
    while place >= 0:
        places.append(place)
        place = low.find(phrase, place + _STEP)
    return places


def _stretches(places: list[int], low: str) -> list[tuple[int, int]]:
    """Return what lies about the places, joined where it overlaps: a match lies in one of them."""
    joined: list[tuple[int, int]] = []
    for place in sorted(places):
        start, end = max(place - _BEFORE, 0), place + _BEHIND
        line = low.find("\n", end, end + _BEHIND)
        end = min(line if line >= 0 else end, len(low))
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _matches(rule: _Rule, reading: Reading, text: str, stretches: list[tuple[int, int]]) -> Iterator[Injection]:
    low, count = reading.text, 0
    for begin, stop in stretches:
        if rule.also and not any(low.find(word, begin, stop) >= 0 for word in rule.also):
            continue
        for match in compiled(rule.source).finditer(low, begin, stop):
            if match.end() > match.start() and (count := count + 1) <= _MOST_FOUND:
                start, end = reading.span(*match.span())
                yield Injection(start, end, text[start:end], rule.name + reading.how)


# --- the data files ------------------------------------------------------------------------------------------------


@cache
def _known() -> _Rules:
    folder = __file__.removesuffix("injection.py") + "patterns/injection"
    rules: list[_Rule] = []
    signs: list[str] = []
    parts: list[str] = []
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - hook path: without pathlib
        with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - the same
            data = tomllib.load(file)
        rules += [_rule(entry, data) for entry in data["rule"]]
        signs += data["signs"]
        parts += data["parts"]
    by_stem: dict[str, tuple[tuple[int, str], ...]] = {}
    direct: dict[str, tuple[tuple[int, str], ...]] = {}
    for number, rule in enumerate(rules):
        for phrase in rule.near:
            stem = _stem(phrase)
            if stem:
                by_stem[stem] = (*by_stem.get(stem, ()), (number, phrase))
            else:
                direct[rule.script] = (*direct.get(rule.script, ()), (number, phrase))
    vocabulary = Vocabulary(tuple(signs), tuple(sorted(parts, key=len, reverse=True)))
    return _Rules(tuple(rules), by_stem, direct, vocabulary)


def _stem(phrase: str) -> str:
    """Return the start of the phrase's longest word, or nothing: it has none, or writes no gaps between words."""
    if compiled(GAPLESS).search(phrase):
        return ""
    words = [
        word for word in compiled(r"\w+").finditer(phrase) if word.end() < len(phrase) or len(word.group()) >= STEM
    ]
    return max((word.group() for word in words), key=len, default="")[:STEM]


def _rule(entry: dict[str, Any], data: dict[str, Any]) -> _Rule:
    words = data.get("words", {})
    named = compiled(r"\{([a-z_]+)\}").sub(lambda match: words[match[1]], entry["pattern"].replace("\n", ""))
    source = compiled(r"\[(?:\\.|[^\]\\])*\]| \?| ").sub(_any_gap, named)
    also = {max(phrase.split(), key=len) for phrase in entry.get("also", ())}
    return _Rule(entry["name"], tuple(entry["near"]), tuple(sorted(also)), data["script"], source)


def _any_gap(match: re.Match[str]) -> str:
    return {" ": _GAP + "{1,20}", " ?": _GAP + "{0,20}"}.get(match.group(), match.group())
