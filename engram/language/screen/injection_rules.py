"""The rules that find orders to an agent: read from the data files, and tried only where they can match."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.literal_index import IN_WORD
from engram.language.matching.literal_index import Literals
from engram.language.matching.patterns import NO_PARTS
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import Alternatives
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import split_alternatives
from engram.language.matching.prefilter import stands_in
from engram.language.screen.obfuscation import Vocabulary
from engram.language.text.normal_forms import GAPLESS
from engram.language.text.normal_forms import STEM
from engram.language.text.normal_forms import stems

_GAP = r"[\s*~`\"“”«»>#|]"  # what may stand between two words: white space, marks of Markdown, quotation marks
_LEADS = {"go", "told"}  # words of the data files that tell where an order begins


class _OneOf(NamedTuple):
    """Literal texts of which one must stand in a text."""

    words: frozenset[str]  # those that can be looked for in the words of a text
    other: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        return _holds_one(text, self.words) or _holds_one(text, self.other)


def _one_of(literals: Iterable[str]) -> _OneOf:
    words = frozenset(filter(compiled(IN_WORD).fullmatch, literals))
    return _OneOf(words, tuple(literal for literal in literals if literal not in words))


def _holds_one(text: str, literals: Iterable[str]) -> bool:
    for literal in literals:  # noqa: SIM110 - a plain loop is quicker than any()
        if literal in text:
            return True
    return False


def _may_hold(text: str, held: set[str], required: Iterable[_OneOf]) -> bool:
    """Tell whether one of each stands in a text, when it is known which literals its words hold."""
    for words, other in required:  # noqa: SIM110 - the hottest lines of the search
        if held.isdisjoint(words) and not (other and _holds_one(text, other)):
            return False
    return True


def _shortest(literals: Iterable[str]) -> int:
    """Return the length of the shortest text: where that is long, few texts hold one of them."""
    return min(map(len, literals))


class Part(NamedTuple):
    """One alternative of a rule's expression."""

    source: str
    rest: str  # the expression without the lead, which is slow to look for; empty: it has none
    required: tuple[_OneOf, ...]  # each stands in whatever the part matches


class Rule:
    """One way of giving orders."""

    __slots__ = ("_also", "_parts", "_pattern", "_words", "name")

    def __init__(self, name: str, also: Iterable[str], pattern: str, words: Mapping[str, str]) -> None:
        """Take the name, in words as a predicate; words of which one stands not far from every match; the pattern.

        Without such words no more is asked. The pattern is written as the data files write it, with the names of
        `words` in braces; it is made an expression when the rule is first tried.
        """
        self.name = name
        self._also = [_one_of(also)] if also else []
        self._pattern = pattern
        self._words = words
        self._parts: list[Part] | None = None

    def literals_beside(self) -> Iterator[str]:
        """Yield the words of which one stands not far from every match."""
        for one in self._also:
            yield from one.words

    def literals(self) -> Iterator[str]:
        """Yield the words that may have to stand in a match; the expression is taken apart for that."""
        for part in self._taken_apart():
            for one in part.required:
                yield from one.words

    def is_possible(self, held: set[str]) -> bool:
        """Tell whether it may match in a text whose words hold these literals, wherever its lines break."""
        for words, other in self._also:  # noqa: SIM110 - a plain loop is quicker than all()
            if not other and held.isdisjoint(words):
                return False
        return True

    def parts_in(self, text: str, held: set[str]) -> list[Part]:
        """Return the alternatives that can match in a text whose words hold these literals, in order."""
        if not _may_hold(text, held, self._also):
            return []
        return [part for part in self._taken_apart() if _may_hold(text, held, part.required)]

    def sources_in(self, text: str, begin: int, stop: int, parts: list[Part]) -> list[str]:
        """Return the expressions of the parts that can match in a stretch of a text."""
        stretch = text[begin:stop]
        if not all(one.is_in(stretch) for one in self._also):
            return []
        held = (part for part in parts if all(one.is_in(stretch) for one in part.required))
        return [part.source for part in held if not part.rest or compiled(part.rest).search(text, begin, stop)]

    def _taken_apart(self) -> list[Part]:
        if self._parts is None:
            whole = _expression(self._pattern, self._words)
            leads = [_expression(self._words[lead], self._words) for lead in _LEADS & self._words.keys()]
            required = (sorted(part.required(), key=_shortest, reverse=True) for part in Alternatives(whole).parts)
            parts = zip(split_alternatives(whole), required, strict=True)
            self._parts = [
                Part(source, _without_lead(source, leads), tuple(map(_one_of, sets))) for source, sets in parts
            ]
        return self._parts


def _without_lead(source: str, leads: Iterable[str]) -> str:
    return next((source.removeprefix(lead) for lead in leads if source.startswith(lead)), "")


class Seen(NamedTuple):
    """What is known of a text before a rule is tried; the same for a text that breaks its lines elsewhere."""

    rules: list[tuple[Rule, list[str]]]  # with the phrases that may stand in the text, near which the rule is tried
    held: set[str]  # the literals of these rules that stand in words of the text
    even: str  # the text with one blank between words, however far they stand apart, and around it


class _Phrase(NamedTuple):
    rule: int  # the place of its rule
    text: str  # what is looked for first, since it is quickly found
    words: frozenset[str]  # its words as far as it writes gaps between them, only their starts; else runs of letters

    def may_stand_in(self, low: str, even: str) -> bool:
        """Tell whether it stands in a text, wherever its lines break."""
        bare = self.text.strip(" ")
        return self.text in even if " " in bare else bare in low


class Rules:
    """All rules, and which of them to try for a text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Begin without a rule."""
        self.vocabulary = vocabulary
        self._rules: list[Rule] = []
        self._by_stem: dict[str, list[_Phrase]] = {}  # the start of a word -> the phrases that hold it
        self._direct: dict[str, list[_Phrase]] = {}  # a script -> the phrases without such a word
        self._foreign: list[tuple[int, str, str]] = []  # rule, phrase, script: not looked at before a text needs them
        self._literals = Literals()
        self._apart: set[int] = set()  # rules whose literals are looked for

    def add(self, rule: Rule, near: Iterable[str], script: str) -> None:
        """Add a rule that is tried near certain phrases, in texts with a character of a script."""
        for text in near:
            if text.isascii():
                self._add_phrase(len(self._rules), text, script)
            else:  # it stands in no text in ASCII, and most processes of the hook path read one such text
                self._foreign.append((len(self._rules), text, script))
        self._literals.add(rule.literals_beside())
        self._rules.append(rule)

    def _add_phrase(self, rule: int, text: str, script: str) -> None:
        starts = _starts(text)
        if starts:
            phrase = _Phrase(rule, text, frozenset(starts))
            self._by_stem.setdefault(max(starts, key=len), []).append(phrase)
        else:
            phrase = _Phrase(rule, text, frozenset(compiled(IN_WORD).findall(text)))
            self._direct.setdefault(script, []).append(phrase)
            self._literals.add(phrase.words)

    def seen(self, low: str, words: list[str]) -> Seen:
        """Return what tells which rules to try for a text in lower case."""
        while self._foreign and not low.isascii():
            self._add_phrase(*self._foreign.pop())
        distinct = set(words)
        starts = stems(distinct)
        by_stem = [self._by_stem[stem] for stem in starts & self._by_stem.keys()]
        near = [phrase for phrases in by_stem for phrase in phrases if phrase.words <= starts]
        held = self._literals.held_by(distinct)
        direct = [phrase for script in self._scripts_of(low) for phrase in self._direct[script] if phrase.words <= held]
        even = f" {' '.join(low.replace('*', ' ').split())} "
        by_rule: dict[int, list[str]] = {}
        for phrase in (*near, *direct):
            if phrase.may_stand_in(low, even):
                by_rule.setdefault(phrase.rule, []).append(phrase.text)
        possible = [number for number in sorted(by_rule) if self._rules[number].is_possible(held)]
        if self._take_apart(possible):
            held = self._literals.held_by(distinct)
        return Seen([(self._rules[number], by_rule[number]) for number in possible], held, even)

    def _scripts_of(self, low: str) -> list[str]:
        return [script for script in self._direct if stands_in(script, low)]

    def _take_apart(self, numbers: list[int]) -> bool:
        """Look for the literals of these rules from now on; tell whether it is new."""
        new = set(numbers) - self._apart
        if new:
            self._apart |= new
            self._literals.add(literal for number in new for literal in self._rules[number].literals())
        return bool(new)


def leftmost(sources: list[str], text: str, begin: int, stop: int) -> Iterator[re.Match[str]]:
    """Yield the matches that the expression of these alternatives has, each alternative searched for by itself.

    None of them may match the empty text. Alone, an alternative is found by the letters that it begins with.
    """
    found = [compiled(source).search(text, begin, stop) for source in sources]
    while any(found):
        first = min((match for match in found if match), key=re.Match.start)  # of two at one place the earlier one
        yield first
        place = first.end()
        for number, match in enumerate(found):
            if match and match.start() < place:
                found[number] = compiled(sources[number]).search(text, place, stop)


# --- the data files ------------------------------------------------------------------------------------------------


@cache
def known_rules() -> Rules:
    """Read the data files."""
    files = list(read_languages("injection").values())
    signs = (sign for data in files for sign in phrases(data["signs"]))
    pieces = sorted((piece for data in files for piece in phrases(data["pieces"])), key=len, reverse=True)
    rules = Rules(Vocabulary(tuple(signs), tuple(pieces)))
    for data in files:
        for entry in data["rule"]:
            rules.add(_rule(entry, data.get("parts", NO_PARTS)), phrases(entry["near"]), data["script"])
    return rules


def _starts(phrase: str) -> list[str]:
    """Return the starts of the phrase's words; none when it writes no gaps between words."""
    if not phrase.isascii() and compiled(GAPLESS).search(phrase):
        return []
    words = compiled(r"\w+").finditer(phrase)
    return [word.group()[:STEM] for word in words if word.end() < len(phrase) or len(word.group()) >= STEM]


def _rule(entry: Table, words: Mapping[str, str]) -> Rule:
    also = sorted({max(phrase.split(), key=len) for phrase in phrases(entry.get("also", ""))})
    return Rule(entry["name"], also, entry["pattern"], words)


def _expression(pattern: str, words: Mapping[str, str]) -> str:
    return compiled(r"\[(?:\\.|[^\]\\])*\]| \?| ").sub(_any_gap, filled(pattern, words))


def _any_gap(match: re.Match[str]) -> str:
    return {" ": _GAP + "{1,20}", " ?": _GAP + "{0,20}"}.get(match.group(), match.group())
