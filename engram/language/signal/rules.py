"""The signal rules of one language, read when a text needs them and compiled when one of their words is near."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import find_language
from engram.language.matching.near_index import INDEXED_AFTER
from engram.language.matching.near_index import index_near
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import Alternatives
from engram.language.matching.prefilter import Part
from engram.language.matching.prefilter import compiled

if TYPE_CHECKING:
    from engram.language.matching.token_index import NearWords

_MOST_JOINED = 40  # texts that the index reads off what stands side by side in an expression
CONTEXT = "context"  # the category of rules that make a statement low
_LONGEST_PHRASE = 4  # words in one phrase of small talk
_LONGEST_RUN = 12  # letters in one phrase where there are no spaces
_MOST_PHRASES = 8  # phrases in a message of small talk
_BETWEEN = " ,.!?~:;)(-…¿¡"  # what stands between such phrases
_FIRST_EASTERN = "\u1100"  # from here on scripts write without spaces, or put them as they like
_HANGUL = ("\uac00", "\ud7a3")
_JAMO = ("\u3131", "\u318e")  # single ones are laughter and tears at the end of a Korean statement
_ENDING_CHARS = 80  # what is read of the end of a statement


class Rule(Pattern):
    """One pattern with what it says when it is found. A plain class, like the others here: quicker to define."""

    __slots__ = ("_alternatives", "category", "confidence", "name")

    def __init__(self, entry: Table, parts: dict[str, str]) -> None:
        """Read one entry of a file."""
        super().__init__(entry, parts)
        self.name: str = entry["name"]  # in words, as a predicate: "says what is preferred"
        self.category: str = entry["category"]  # preference, decision, ..., context
        self.confidence = float(entry["confidence"])  # 0 to 1
        self._alternatives: Alternatives | None = None

    @property
    def alternatives(self) -> Alternatives:
        """The pattern, taken apart when it is first tried."""
        if self._alternatives is None:
            self._alternatives = Alternatives(self.source)
        return self._alternatives

    def found_in(self, words: str) -> bool:
        """Tell whether the rule speaks for a normalized statement in which one of its words is known to stand."""
        return self.alternatives.found_in(words)


class Guard:
    """What makes a finding doubtful when a statement begins with it, or ends with it."""

    __slots__ = ("_ending", "_last", "_leading", "_near", "_pattern", "first")

    def __init__(self, entry: Table, parts: dict[str, str]) -> None:
        """Read one entry of a file: it has a pattern, an ending, or both."""
        self.first = frozenset(entry.get("first", "").split())  # the first words of statements that can match
        self._leading = tuple(word for word in self.first if word >= _FIRST_EASTERN)  # these need no space after them
        self._near = phrases(entry.get("near", ""))  # or words that stand in them
        source = filled(entry.get("pattern", ""), parts)
        self._pattern = Alternatives(source) if source else None  # matched from the first character on
        self._last = tuple(entry.get("last", "").split())  # with what statements end that the ending can match
        self._ending = filled(entry.get("ending", ""), parts)  # the expression, up to the last letter

    def end_in(self, words: str) -> int:
        """Return where the guard ends when a normalized statement begins or ends with it, else -1."""
        if self._pattern is not None and self._may_begin(words):
            end = self._pattern.end_in(words)
            if end >= 0:
                return end
        return len(words) if self._ending and self._ends(words) else -1

    def _may_begin(self, words: str) -> bool:
        for word in self._near:  # a plain loop, quicker than any()
            if word in words:
                return True
        if not self.first:
            return not self._near
        return words.partition(" ")[0].strip(_BETWEEN) in self.first or words.startswith(self._leading)

    def _ends(self, words: str) -> bool:
        end = end_of_words(words)
        if not words.endswith(self._last, 0, end):
            return False
        return compiled(f"(?:{self._ending})$").search(words[max(0, end - _ENDING_CHARS) : end]) is not None


def _is_telling(words: frozenset[str]) -> bool:
    """Tell whether few texts hold one of the words: none of them is a space or a single letter of an alphabet."""
    return (
        all(len(word) > 1 or word >= _FIRST_EASTERN or not word.isalnum() for word in map(str.strip, words))
        and " " not in words
    )


Candidate = tuple[Rule, Rule | Part]  # a rule that may speak for a statement, and what of it to look for there


class RuleSet:
    """What is known about signals in one language."""

    __slots__ = ("_near", "_parts", "_read", "_runs", "guards", "rules", "smalltalk")

    def __init__(self, guards: dict[str, Guard], rules: tuple[Rule, ...], smalltalk: frozenset[str]) -> None:
        """Keep what a file says."""
        self.guards = guards  # lead, request, question, hypothetical, reported, agent
        self.rules = rules  # in the order of the file
        self.smalltalk = smalltalk  # phrases of which a message of small talk consists
        self._read = 0  # characters, until there is an index
        self._near: NearWords | None = None
        self._parts: list[tuple[Rule, Part]] = []
        self._runs: frozenset[str] | None = None  # the same without spaces and marks

    def near(self, lines: Sequence[str]) -> dict[int, list[Candidate]]:
        """Return the rules that can speak for a normalized statement, in order, by its place; few have any."""
        if self._near is None:
            self._read += sum(map(len, lines))
            if self._read < INDEXED_AFTER:
                return self._near_by_rules(lines)
            self._near = self._index()
        return {place: [self._parts[part] for part in near] for place, near in self._near.find(lines).items()}

    def _index(self) -> "NearWords":
        wholes = ((rule, whole) for rule in self.rules for whole in rule.alternatives.parts)
        self._parts = [(rule, part) for rule, whole in wholes for part in whole.alternatives()]
        return index_near(
            [[frozenset(rule.near), *filter(_is_telling, part.required(_MOST_JOINED))] for rule, part in self._parts]
        )

    def _near_by_rules(self, lines: Sequence[str]) -> dict[int, list[Candidate]]:
        whole = "\n".join(lines)
        found: dict[int, list[Candidate]] = {}
        for rule in self.rules:
            words = [word for word in rule.near if word in whole]
            for place, line in enumerate(lines) if words else ():
                for word in words:  # a plain loop, quicker than any()
                    if word in line:
                        found.setdefault(place, []).append((rule, rule))
                        break
        return found

    def is_smalltalk(self, normal: str) -> bool:
        """Tell whether a normalized message is nothing but a few phrases of small talk."""
        if any(map(_is_eastern, normal)):
            return _is_run_of(self._phrases_without_spaces(), normal)
        words = [word for word in (part.strip(_BETWEEN) for part in normal.split()) if any(map(str.isalnum, word))]
        place = phrases = 0
        while place < len(words) and phrases < _MOST_PHRASES:
            sizes = range(min(_LONGEST_PHRASE, len(words) - place), 0, -1)
            size = next((size for size in sizes if " ".join(words[place : place + size]) in self.smalltalk), 0)
            if not size:
                return False
            place += size
            phrases += 1
        return place == len(words)

    def _phrases_without_spaces(self) -> frozenset[str]:
        if self._runs is None:
            self._runs = frozenset(_letters(phrase)[0] for phrase in self.smalltalk)
        return self._runs


def _is_run_of(phrases: frozenset[str], normal: str) -> bool:
    """Tell whether the letters of a text without reliable spaces are a run of a few phrases."""
    letters, edges = _letters(normal)
    fewest = {0: 0}  # place in the letters: phrases up to there
    for place in range(len(letters)):
        if fewest.get(place, _MOST_PHRASES) == _MOST_PHRASES:
            continue
        for end in range(place + 1, min(place + _LONGEST_RUN, len(letters)) + 1):
            is_whole = end > place + 1 or not _is_hangul(letters[place]) or (place in edges and end in edges)
            if is_whole and letters[place:end] in phrases:
                last = end
                while last < len(letters) and letters[last] == letters[end - 1]:
                    last += 1  # 好好好, 哈哈哈
                fewest[last] = min(fewest.get(last, _MOST_PHRASES), fewest[place] + 1)
    return len(letters) in fewest


def end_of_words(words: str) -> int:
    """Return where the last word ends: behind it stand only marks, faces and the jamo that people laugh with."""
    end = len(words)
    while end and (not words[end - 1].isalnum() or _JAMO[0] <= words[end - 1] <= _JAMO[1]):
        end -= 1
    return end


def _letters(normal: str) -> tuple[str, set[int]]:
    """Return a text without spaces, marks and single jamo, and the places in it where one of those stood."""
    letters: list[str] = []
    edges = {0}
    for ch in normal:
        if ch.isalnum() and not _JAMO[0] <= ch <= _JAMO[1]:
            letters.append(ch)
        else:
            edges.add(len(letters))
    return "".join(letters), edges | {len(letters)}


def _is_eastern(ch: str) -> bool:
    return ch >= _FIRST_EASTERN and ch.isalpha()


def _is_hangul(ch: str) -> bool:
    return _HANGUL[0] <= ch <= _HANGUL[1]


@cache
def load_rules(language: str) -> RuleSet | None:
    """Read the rules of a language, or return None when there is no file for it."""
    data = find_language("signal", language)
    if data is None:
        return None
    guards = {name: Guard(entry, data["parts"]) for name, entry in data["guards"].items()}
    smalltalk = frozenset(phrase.strip() for phrase in phrases(data["smalltalk"]["phrases"].replace("\n", " ")))
    return RuleSet(guards, tuple(Rule(entry, data["parts"]) for entry in data["rule"]), smalltalk)
