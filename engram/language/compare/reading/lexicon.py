"""The words by which statements are compared, read from patterns/comparing: one file a language."""

import itertools
import re
import unicodedata
from functools import cache
from functools import lru_cache
from typing import Any
from typing import NamedTuple

from engram.language.compare.reading.phrases import Phrases
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled
from engram.language.matching.stemmers import load_stemmer
from engram.language.terms.korean import stem_korean

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "ё": "е"})


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


class Lexicon(NamedTuple):
    """The words of all languages together; single words are stems unless said otherwise."""

    dropped: frozenset[str]  # folded words that carry no meaning of their own
    stop: frozenset[str]  # folded words that are not content
    subjects: frozenset[str]  # folded words for the entity itself
    apart: frozenset[tuple[str, str]]  # pronouns for the entity of which one cannot be the other: he, she
    negation: frozenset[str]  # folded words that turn a statement round
    denying: frozenset[str]  # stems that do so with any ending
    joining: frozenset[str]  # folded words that begin another clause
    asks: Phrases  # the end of a question, or of a clause that supposes: nothing is stated
    logged: tuple[Sentence, ...]  # lines of logs and records: they state nothing that stays
    occasions: tuple[Sentence, ...]  # what happened, or is due, once: there may be another such occasion
    strengthening: frozenset[str]  # folded words that only strengthen a negation
    contractions: dict[str, str]  # folded word to the words that it stands for
    phrases: dict[str, str]  # folded words to the one that they stand for
    cessation: Phrases  # phrases: what held has ended
    lasting: Phrases  # phrases that say so together with a negation: any more
    changed: Phrases  # "was moved to" and the like: what follows is what is
    replaced: tuple[Sentence, ...]  # `old` has ended, `new` came
    usage: frozenset[str]  # stems that say no more than that something is so
    preference: frozenset[str]  # stems that make a statement a preference
    preferring: frozenset[str]  # those of them that leave room for one thing only
    status: tuple[Sentence, ...]  # `subject` `works` or `fails`, `not`; `rest` is said besides, `because` leads to why
    reversed: tuple[Sentence, ...]  # `first` is preferred to `second`
    naming: frozenset[str]  # folded words that make the number behind them a name
    versioning: frozenset[str]  # folded words that make the number behind them a version
    months: frozenset[str]  # folded words
    month_numbers: dict[str, str]  # first three letters of a month to its number
    days: frozenset[str]  # folded words and their stems
    dating: frozenset[str]  # folded words that only lead to a date
    numbers: dict[str, str]  # folded word to digits
    units: dict[str, Unit]  # folded word to unit
    opposites: dict[str, tuple[str, int]]  # stem to pair and side
    contraries: frozenset[str]  # pairs that exclude each other only as predicates: a fast car and a slow one
    groups: dict[str, tuple[tuple[Group, int], ...]]  # stems joined by spaces to groups and the place in each
    prefixes: frozenset[str]  # beginnings by which a word becomes its contrary: unreliable
    many: frozenset[str]  # stems, and words in -ing, of predicates that may hold of several things at once
    several: frozenset[str]  # stems of predicates that may hold of several versions at once
    people: frozenset[str]  # stems for anybody: what "nobody" denies
    kinds: dict[str, frozenset[str]]  # stem to the stems of the kinds that it belongs to: beer is alcohol
    relatives: frozenset[str]  # stems for others who belong to the entity: they are not the entity
    possessives: tuple[str, ...]  # endings of whoever something belongs to
    subject_marks: tuple[str, ...]  # endings of the subject, where it stands before a verb that comes last
    verb_endings: tuple[str, ...]  # by which a word that begins a statement is known as its verb
    part_subjects: tuple[str, ...]  # expressions: a part of {name} is spoken of, not {name}
    existence: tuple[re.Pattern[str], ...]  # a noun, and a verb written together with it: there is (no) such thing
    absent: dict[str, str]  # stem of such a verb that denies to the verb that it denies
    present: frozenset[str]  # stems of those verbs
    nobody: re.Pattern[str]  # begins the denial of a whole kind
    states: tuple[State, ...]  # one a language
    whole: frozenset[str]  # words of Chinese, which has no spaces
    longest: int  # characters of the longest of them


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, case folded, simple apostrophes, ё as е, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES).split())


def place_kinds(text: str) -> frozenset[str]:
    """Return what kinds of place the words may name, of city, country and region; empty for other words."""
    key = " ".join(map(stem, fold(text).split()))
    return frozenset(group.place for group, _ in load_lexicon().groups.get(key, ()) if group.place)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a folded word in the language of its script; names with digits or signs stay."""
    if not word.isalpha() or "\u3040" <= word[0] <= "\u9fff":
        return word
    if "가" <= word[0] <= "힣":
        return stem_korean(word)
    return str(_stemmer("russian" if "а" <= word[0] <= "я" else "english").stemWord(word))


@cache
def load_lexicon() -> Lexicon:
    """Read the words of every language once."""
    files = list(read_languages("comparing").values())
    whole = _chinese(files)
    return Lexicon(
        dropped=_words(files, "dropped"),
        stop=_words(files, "stop"),
        subjects=_words(files, "subjects"),
        apart=frozenset(pair for data in files for pair in itertools.permutations(data["apart"].split(), 2)),
        negation=_words(files, "negation"),
        denying=_stems(files, "denying"),
        joining=_words(files, "joining"),
        asks=Phrases(data["asks"]["pattern"] for data in files if "asks" in data),
        logged=_sentences(files, "logged"),
        occasions=_sentences(files, "occasions"),
        strengthening=_words(files, "strengthening"),
        contractions={word: full.replace("_", " ") for word, full in _pairs(files, "contractions")},
        phrases={words.replace("_", " "): word for words, word in _pairs(files, "contractions") if "_" in words},
        cessation=_phrases(files, "cessation"),
        lasting=_phrases(files, "lasting"),
        changed=_phrases(files, "changed"),
        replaced=_sentences(files, "replaced"),
        usage=_stems(files, "usage"),
        preference=_stems(files, "preference"),
        preferring=_stems(files, "preferring"),
        status=_sentences(files, "status"),
        reversed=_sentences(files, "reversed"),
        naming=_words(files, "naming"),
        versioning=_words(files, "versioning"),
        months=_words(files, "months"),
        month_numbers=dict(_pairs(files, "month_numbers")),
        days=_words(files, "days") | _stems(files, "days"),
        dating=_words(files, "dating"),
        numbers=dict(_pairs(files, "numbers")),
        units={form: _unit(value) for word, value in _pairs(files, "units") for form in (word, _korean(word))},
        opposites=_opposites(files, "contraries") | _opposites(files, "opposites"),
        contraries=frozenset(pair for pair, _ in _opposites(files, "contraries").values()),
        groups=_groups(files),
        prefixes=_words(files, "prefixes"),
        many=frozenset(word if word.endswith("ing") else stem(word) for word in _words(files, "many")),
        several=_stems(files, "several"),
        people=_stems(files, "people"),
        kinds=_kinds(files),
        relatives=_stems(files, "relatives"),
        possessives=tuple(_listed(files, "possessives")),
        subject_marks=tuple(_listed(files, "subject_marks")),
        verb_endings=tuple(_listed(files, "verb_endings")),
        part_subjects=tuple(data["part_subject"] for data in files if "part_subject" in data),
        existence=tuple(re.compile(data["existence"]) for data in files if "existence" in data),
        absent=dict(_pairs(files, "absent")),
        present=frozenset(stem(verb) for _, verb in _pairs(files, "absent")),
        nobody=re.compile("|".join(data["nobody"]["pattern"] for data in files)),
        states=tuple(_state(data["states"]) for data in files),
        whole=whole,
        longest=max(map(len, whole), default=1),
    )


def _listed(files: list[Table], key: str) -> list[str]:
    return [fold(word) for data in files for word in data.get(key, "").split()]


def _words(files: list[Table], key: str) -> frozenset[str]:
    return frozenset(_listed(files, key))


def _stems(files: list[Table], key: str) -> frozenset[str]:
    return frozenset(map(stem, _words(files, key)))


def _pairs(files: list[Table], key: str) -> list[tuple[str, str]]:
    pairs = (entry.rpartition("=") for data in files for entry in data.get(key, "").split())
    return [(fold(word), value) for word, _, value in pairs]


def _sentences(files: list[Table], key: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(entry) for data in files for entry in data.get(key, []))


def _phrases(files: list[Table], key: str) -> Phrases:
    return Phrases(entry["pattern"] for data in files for entry in data.get(key, []))


def _korean(word: str) -> str:
    root = stem(word) if "가" <= word[0] <= "힣" else word
    return root if len(root) > 1 else word


def _unit(value: str) -> Unit:
    factor, _, dimension = value.partition(":")
    return Unit(float(factor), dimension)


def _state(entry: Table) -> State:
    return State(entry["being"], entry["scene"], entry.get("last", False), entry.get("verb", NOTHING))


def _opposites(files: list[Table], key: str) -> dict[str, tuple[str, int]]:
    pairs = [pair for data in files for pair in data.get(key, [])]
    return {
        stem(fold(word)): (pair[0].split()[0], side)
        for pair in pairs
        for side, words in enumerate(pair)
        for word in words.split()
    }


def _groups(files: list[Table]) -> dict[str, tuple[tuple[Group, int], ...]]:
    found: dict[str, tuple[tuple[Group, int], ...]] = {}
    for group, members in [pair for data in files for pair in (*_antonyms(data), *_named(data))]:
        for place, member in enumerate(members.split("/")):
            for phrase in member.split(","):
                key = " ".join(map(stem, fold(phrase).split()))
                found[key] = (*found.get(key, ()), (group, place))
    return found


def _kinds(files: list[Table]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for entry in (entry for data in files for entry in data.get("kinds", [])):
        names, _, members = (frozenset(map(stem, fold(part).split())) for part in entry.partition(":"))
        found |= {member: found.get(member, frozenset()) | names for member in members}
    return found


def _named(data: Table) -> list[tuple[Group, str]]:
    return [
        (Group(entry["name"], entry["kind"], entry.get("alone", False), entry.get("place", "")), entry["members"])
        for entry in data.get("groups", [])
    ]


def _antonyms(data: Table) -> list[tuple[Group, str]]:
    pairs = data.get("antonyms", [])
    names = (" / ".join(side.partition(",")[0].strip() for side in sides.split("/")) for sides in pairs)
    return [(Group(name, "polarity", alone=False), sides) for name, sides in zip(names, pairs, strict=True)]


def _chinese(files: list[Table]) -> frozenset[str]:
    """Return every word of two or more Chinese characters that the files know."""
    texts = [value for data in files for value in _strings(data)]
    return frozenset(re.findall(r"(?<![\w])[\u4e00-\u9fff]{2,6}(?![\w])", " ".join(texts)))


def _strings(data: Table) -> list[str]:
    lists = [" ".join(side) for key in ("opposites", "contraries") for side in data.get(key, [])]
    members = [re.sub("[/,]", " ", sides) for _, sides in (*_antonyms(data), *_named(data))]
    pairs = re.sub(r"=\S+", " ", " ".join(data.get(key, "") for key in ("numbers", "units", "contractions")))
    members += [entry.replace(":", " ") for entry in data.get("kinds", [])]
    return [*(value for value in data.values() if isinstance(value, str)), *lists, *members, pairs]


@cache
def _stemmer(language: str) -> Any:
    return load_stemmer(language, 0)
