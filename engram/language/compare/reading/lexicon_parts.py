"""What a lexicon consists of, and how each part lies in the files of patterns/comparing: one file a language.

Each reader takes the files of all languages and the name of the part there.
"""

import itertools
import re
from typing import NamedTuple

from engram.language.compare.reading.phrases import Phrases
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.matching.language_files import Table
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

LONGEST_CHINESE = 6  # characters of a word


class Unit(NamedTuple):
    """What a number is multiplied by, and what it measures then."""

    factor: float  # to the base of the dimension
    dimension: str  # such as time or bytes; empty for a bare multiplier


class Sentence(Pattern):
    """A sentence by its expression, over folded text with contractions taken apart."""

    __slots__ = ()

    def __init__(self, entry: Table) -> None:
        """Read an entry of a file."""
        super().__init__(entry)
        self.near = tuple(map(fold, self.near))


class Group(NamedTuple):
    """Words of which only one can be true of a thing at a time, such as colours."""

    name: str  # for the reason: "colour: red became blue"
    kind: str  # polarity for contraries such as hot and cold, attribute for the others
    alone: bool  # names of places: they say where something is, unless they stand before a noun as in "Berlin office"
    place: str = ""  # what kind of place the words name, if any: city, country, region


class State(NamedTuple):
    """How a language says what is, in contrast to what somebody does, likes or owns, of which there may be many."""

    being: str  # an expression: what stands before a predicate, or behind it where the verb comes last
    scene: str  # an expression that begins a description of one scene: "a man ...", "two women ..."
    last: bool  # the verb comes last: the predicate stands before it
    verb: str  # an expression: the verb between a subject and what it is said to be

    def describes(self, folded: str) -> bool:
        """Tell whether the statement describes a scene."""
        return compiled(self.scene).search(folded) is not None

    def find_verb(self, folded: str) -> re.Match[str] | None:
        """Return where the verb stands between a subject and what it is said to be."""
        return compiled(self.verb).search(folded)

    def has_predicate(self, folded: str, place: int) -> bool:
        """Tell whether the word at the place is part of what something is said to be."""
        being = compiled(self.being).search(folded)
        return being is not None and (place < being.end() if self.last else place >= being.end())


def read_listed(files: list[Table], key: str) -> tuple[str, ...]:
    """Return folded words, in order."""
    return tuple(fold(word) for data in files for word in data.get(key, "").split())


def read_words(files: list[Table], key: str) -> frozenset[str]:
    """Return folded words."""
    return frozenset(read_listed(files, key))


def read_stems(files: list[Table], key: str) -> frozenset[str]:
    """Return the stems of words."""
    return frozenset(map(stem, read_words(files, key)))


def read_sentences(files: list[Table], key: str) -> tuple[Sentence, ...]:
    """Return expressions of whole sentences."""
    return tuple(Sentence(entry) for data in files for entry in data.get(key, []))


def read_phrases(files: list[Table], key: str) -> Phrases:
    """Return expressions that are looked for together."""
    return Phrases(entry["pattern"] for data in files for entry in data.get(key, []))


def read_opposites(files: list[Table], key: str) -> dict[str, tuple[str, int]]:
    """Return stem -> name of its pair and the side that it is on."""
    pairs = [pair for data in files for pair in data.get(key, [])]
    return {
        stem(fold(word)): (pair[0].split()[0], side)
        for pair in pairs
        for side, words in enumerate(pair)
        for word in words.split()
    }


def read_groups(files: list[Table], key: str) -> dict[str, tuple[tuple[Group, int], ...]]:
    """Return stems joined by spaces -> the groups that they are in, with their places there."""
    found: dict[str, tuple[tuple[Group, int], ...]] = {}
    for group, members in [pair for data in files for pair in (*_antonyms(data), *_named(data, key))]:
        for place, member in enumerate(members.split("/")):
            for phrase in member.split(","):
                words = " ".join(map(stem, fold(phrase).split()))
                found[words] = (*found.get(words, ()), (group, place))
    return found


def read_kinds(files: list[Table], key: str) -> dict[str, frozenset[str]]:
    """Return stem -> the stems of what it is a kind of."""
    found: dict[str, frozenset[str]] = {}
    for entry in (entry for data in files for entry in data.get(key, [])):
        names, _, members = (frozenset(map(stem, fold(part).split())) for part in entry.partition(":"))
        found |= {member: found.get(member, frozenset()) | names for member in members}
    return found


def read_chinese(files: list[Table], _key: str) -> frozenset[str]:
    """Return every word of two or more Chinese characters that the files know."""
    texts = [value for data in files for value in _strings(data)]
    word = rf"(?<![\w])[\u4e00-\u9fff]{{2,{LONGEST_CHINESE}}}(?![\w])"
    return frozenset(re.findall(word, " ".join(texts)))


def read_mapping(files: list[Table], key: str) -> dict[str, str]:
    """Return folded word -> what it stands for."""
    return dict(_pairs(files, key))


def read_contractions(files: list[Table], key: str) -> dict[str, str]:
    """Return folded word -> the words that it stands for."""
    return {word: full.replace("_", " ") for word, full in _pairs(files, key)}


def read_joined(files: list[Table], key: str) -> dict[str, str]:
    """Return folded words -> the one that they stand for."""
    return {words.replace("_", " "): word for words, word in _pairs(files, key) if "_" in words}


def read_stems_of_values(files: list[Table], key: str) -> frozenset[str]:
    """Return the stems of what words stand for."""
    return frozenset(stem(value) for _, value in _pairs(files, key))


def read_words_and_stems(files: list[Table], key: str) -> frozenset[str]:
    """Return folded words and their stems."""
    return read_words(files, key) | read_stems(files, key)


def read_stems_but_ing(files: list[Table], key: str) -> frozenset[str]:
    """Return the stems of words, and words in -ing as they are."""
    return frozenset(word if word.endswith("ing") else stem(word) for word in read_words(files, key))


def read_permutations(files: list[Table], key: str) -> frozenset[tuple[str, str]]:
    """Return each two of the words of a language, both ways."""
    return frozenset(pair for data in files for pair in itertools.permutations(data[key].split(), 2))


def read_units(files: list[Table], key: str) -> dict[str, Unit]:
    """Return folded word -> unit."""
    return {form: _unit(value) for word, value in _pairs(files, key) for form in (word, _korean(word))}


def read_all_opposites(files: list[Table], key: str) -> dict[str, tuple[str, int]]:
    """Return those that exclude each other as predicates only, and those that always do."""
    return read_opposites(files, "contraries") | read_opposites(files, key)


def read_pair_names(files: list[Table], key: str) -> frozenset[str]:
    """Return the names of pairs of opposites."""
    return frozenset(pair for pair, _ in read_opposites(files, key).values())


def read_pattern(files: list[Table], key: str) -> Phrases:
    """Return one expression a language, looked for together."""
    return Phrases(data[key]["pattern"] for data in files if key in data)


def read_texts(files: list[Table], key: str) -> tuple[str, ...]:
    """Return one text a language."""
    return tuple(data[key] for data in files if key in data)


def read_expressions(files: list[Table], key: str) -> tuple[re.Pattern[str], ...]:
    """Return one compiled expression a language."""
    return tuple(map(re.compile, read_texts(files, key)))


def read_expression(files: list[Table], key: str) -> re.Pattern[str]:
    """Return the expressions of all languages as one."""
    return re.compile("|".join(data[key]["pattern"] for data in files))


def read_states(files: list[Table], key: str) -> tuple[State, ...]:
    """Return how each language says what is."""
    return tuple(_state(data[key]) for data in files)


def _pairs(files: list[Table], key: str) -> list[tuple[str, str]]:
    pairs = (entry.rpartition("=") for data in files for entry in data.get(key, "").split())
    return [(fold(word), value) for word, _, value in pairs]


def _korean(word: str) -> str:
    root = stem(word) if "가" <= word[0] <= "힣" else word
    return root if len(root) > 1 else word


def _unit(value: str) -> Unit:
    factor, _, dimension = value.partition(":")
    return Unit(float(factor), dimension)


def _state(entry: Table) -> State:
    return State(entry["being"], entry["scene"], entry.get("last", False), entry.get("verb", NOTHING))


def _named(data: Table, key: str = "groups") -> list[tuple[Group, str]]:
    return [
        (Group(entry["name"], entry["kind"], entry.get("alone", False), entry.get("place", "")), entry["members"])
        for entry in data.get(key, [])
    ]


def _antonyms(data: Table) -> list[tuple[Group, str]]:
    pairs = data.get("antonyms", [])
    names = (" / ".join(side.partition(",")[0].strip() for side in sides.split("/")) for sides in pairs)
    return [(Group(name, "polarity", alone=False), sides) for name, sides in zip(names, pairs, strict=True)]


def _strings(data: Table) -> list[str]:
    lists = [" ".join(side) for key in ("opposites", "contraries") for side in data.get(key, [])]
    members = [re.sub("[/,]", " ", sides) for _, sides in (*_antonyms(data), *_named(data))]
    pairs = re.sub(r"=\S+", " ", " ".join(data.get(key, "") for key in ("numbers", "units", "contractions")))
    members += [entry.replace(":", " ") for entry in data.get("kinds", [])]
    return [*(value for value in data.values() if isinstance(value, str)), *lists, *members, pairs]
