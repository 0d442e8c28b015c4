"""The sentences of a language that state an attribute of somebody or something, read from patterns/attributes."""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.stems import fold
from engram.language.compare.slots.slot_values import Words
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.near_index import NearIndex
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import stands_in

_VARIANT = re.compile(r".\?|\[\w+\]")  # where a noun may be written in several ways
_EXPRESSIONS = ("possessive", "goes_on", "cases")
KIND: Final = "attributes"
_WORD_LISTS = ("function", "clause", "dating", "vague", "generic")  # in a language file, as `Words` has them


class Template(NamedTuple):
    """A sentence that states an attribute."""

    attribute: str  # empty: the noun says which
    near: tuple[str, ...]  # of a template by verb: one of them stands in every sentence that fits
    source: str
    inflected: bool  # the subject may stand in any case


class Sentences(NamedTuple):
    """The sentences of one language that state attributes."""

    code: str  # of the language
    script: str  # a class of characters
    articles: tuple[str, ...]  # what stands before a subject and is no part of it
    expressions: dict[str, str]  # possessive, goes_on, cases; empty where the language has none
    subjects: dict[str, frozenset[str]]  # those that mean the entity itself, folded, by its kind
    lead: str
    tail: str
    words: Words  # that values may hold or not
    attribute_of_noun: tuple[tuple[str, str], ...]  # expression of the nouns, attribute
    templates: tuple[Template, ...]
    frames: tuple[Template, ...]
    near_all: NearIndex  # of the templates, and behind them of the frames: one of the nouns stands in all that fit one

    def are_for(self, folded: str) -> bool:
        """Tell whether a text has words of the language's script."""
        return stands_in(self.script, folded)

    @property
    def is_latin(self) -> bool:
        """Whether other languages share its script, so that it shows itself by its words only."""
        return stands_in(self.script, "a")

    def begins(self, word: str) -> bool:
        """Tell whether a word begins in the language's script."""
        return stands_in(self.script, word[:1])

    def near(self, folded: str) -> Iterator[Template]:
        """Yield the sentences that may fit by the words that have to stand in them, templates by verb first."""
        places = self.near_all.places_in(folded)
        yield from (self.templates[place] for place in places if place < len(self.templates))
        yield from self.frames if places and places[-1] == len(self.templates) else ()


@cache
def load_sentences() -> tuple[Sentences, ...]:
    """Read the files once, those of Latin script last: foreign names stand in any language."""
    languages = (_sentences(code, data) for code, data in read_languages(KIND).items())
    return tuple(sorted(languages, key=lambda one: (one.is_latin, one.code != ENGLISH)))


def _sentences(code: str, data: Table) -> Sentences:
    # Longer nouns first, so that "status page" would win over "status".
    every = "|".join(sorted((noun for nouns in data["nouns"].values() for noun in nouns.split("|")), key=len)[::-1])
    parts = {"nouns": every, "places": "|".join(data["places"].split())}
    frames = [Template("", (), filled(frame, parts), inflected=True) for frame in data["frames"]]
    templates = [_template(entry, parts) for entry in data["template"]]
    near_nouns = tuple(dict.fromkeys(max(_VARIANT.split(noun), key=len) for noun in every.split("|")))
    return Sentences(
        code,
        data["script"],
        phrases(data.get("articles", "")),
        {name: data.get(name, "") for name in _EXPRESSIONS},
        {name: frozenset(map(fold, phrases(listed))) for name, listed in data["subjects"].items()},
        data["lead"],
        data["tail"],
        Words(frozenset(), *(frozenset(data.get(key, "").split()) for key in _WORD_LISTS)),
        tuple((nouns, attribute) for attribute, nouns in data["nouns"].items()),
        tuple(templates),
        tuple(frames),
        NearIndex([*(one.near for one in templates), near_nouns]),
    )


def _template(entry: Table, parts: Mapping[str, str]) -> Template:
    pattern = Pattern(entry, parts)
    return Template(entry["attribute"], pattern.near, pattern.source, inflected=entry.get("inflected", False))


@cache
def behind_name(generic: frozenset[str]) -> str:
    """Return what is written on behind a name and no part of it: a Korean title, a Chinese word for a kind of thing."""
    kinds = "|".join(re.escape(word) for word in sorted(generic) if "\u4e00" <= word[0] <= "\u9fff")
    return rf"(?<=[\uac00-\ud7a3]{{2}})(?:씨|님)$|(?<=[\u4e00-\u9fff]{{2}})(?:{kinds or NOTHING})$"
