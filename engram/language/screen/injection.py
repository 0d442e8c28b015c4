"""Text that tries to give orders to the agent that reads it: found by rules, through disguises and encodings."""

import re
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from engram.config.own_patterns import SlowPatternError
from engram.config.own_patterns import find_spans
from engram.language.matching.prefilter import compiled
from engram.language.screen.injection_rules import Part
from engram.language.screen.injection_rules import Rule
from engram.language.screen.injection_rules import Seen
from engram.language.screen.injection_rules import known_rules
from engram.language.screen.injection_rules import leftmost
from engram.language.screen.obfuscation import OVER_LINES
from engram.language.screen.obfuscation import disguised
from engram.language.text.normal_forms import Reading
from engram.language.text.normal_forms import plain
from engram.language.text.normal_forms import words_of

_MOST_READ = 200_000  # characters of one text that are looked at
_MOST_FOUND = 100  # orders of one rule in one reading
_OWN_RULE = "matches a pattern of the settings"
_SLOW_RULE = "a pattern of the settings takes too long on it"
_BEFORE = 200  # characters before and
_STEP = 100  # between two places of a phrase that are looked at
_LOOKED_BACK = 40  # characters that an expression looks back, at most
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
    known = known_rules()
    base = plain(text)
    low = base.text.lower()
    words = words_of(low)
    seen = known.seen(low, words)
    patterns = list(own)
    yield from _search(base, text, low, seen)
    yield from _search_own(base, text, patterns)
    for reading in disguised(base, low, words, known.vocabulary):
        read = reading.text.lower()
        if reading.how == OVER_LINES:  # the same words, and much that was searched already
            yield from _search(reading, text, read, seen, than=low)
        else:
            yield from _search(reading, text, read, known.seen(read, words_of(read)))
        yield from _search_own(reading, text, patterns)


def _search_own(reading: Reading, text: str, own: list[str]) -> Iterator[Injection]:
    """Yield what the settings' own expressions find; one that takes too long is dropped for the other readings.

    The text counts as found then: nobody knows whether it holds what the expression is there for.
    """
    for source in own.copy():
        try:
            for start, end in islice(find_spans(source, reading.text), _MOST_FOUND):
                yield from _order(start, end, _OWN_RULE, reading, text)
        except SlowPatternError:
            own.remove(source)
            yield Injection(0, len(text), text, _SLOW_RULE)


def _search(reading: Reading, text: str, low: str, seen: Seen, than: str = "") -> Iterator[Injection]:
    """Yield what the rules find; not where all is as in another reading, which was searched before."""
    for rule, phrases in seen.rules:
        parts = rule.parts_in(low, seen.held)
        if parts:
            stretches = [each for each in _stretches(phrases, low, seen.even) if not _is_alike(low, than, *each)]
            yield from _orders(_matches(rule, parts, low, stretches), rule.name, reading, text)


def _is_alike(low: str, than: str, begin: int, stop: int) -> bool:
    begin = max(begin - _LOOKED_BACK, 0)
    return low[begin:stop] == than[begin:stop]


def _matches(rule: Rule, parts: list[Part], low: str, stretches: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for begin, stop in stretches:
        yield from leftmost(rule.sources_in(low, begin, stop, parts), low, begin, stop)


def _stretches(phrases: list[str], low: str, even: str) -> list[tuple[int, int]]:
    """Return what lies about the phrases, joined where it overlaps: a match lies in one of them.

    That is all, when the words of a phrase stand somewhere apart by more than a blank.
    """
    phrases = [phrase for phrase in phrases if " " not in phrase[1:-1] or phrase in even]
    if any(" " in phrase[1:-1] and even.count(phrase) > low.count(phrase) for phrase in phrases):
        return [(0, len(low))]
    joined: list[tuple[int, int]] = []
    for place in sorted(place for phrase in phrases for place in _places(phrase, low)):
        start, end = max(place - _BEFORE, 0), place + _BEHIND
        line = low.find("\n", end, end + _BEHIND)
        end = min(line if line >= 0 else end, len(low))
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _places(phrase: str, low: str) -> Iterator[int]:
    place = low.find(phrase)
    while place >= 0:
        yield place
        place = low.find(phrase, place + _STEP)


def _orders(found: Iterator[re.Match[str]], rule: str, reading: Reading, text: str) -> Iterator[Injection]:
    for match in islice((match for match in found if match.end() > match.start()), _MOST_FOUND):
        yield from _order(*match.span(), rule, reading, text)


def _order(start: int, end: int, rule: str, reading: Reading, text: str) -> Iterator[Injection]:
    if end > start:
        start, end = reading.span(start, end)
        yield Injection(start, end, text[start:end], rule + reading.how)
