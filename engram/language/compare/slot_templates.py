"""The sentences of a language that state an attribute of somebody or something, read from patterns/attributes."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engram.base.table_files import read_table
from engram.language import PATTERNS
from engram.language.compare.slot_values import Words

_VARIANT = re.compile(r".\?|\[\w+\]")  # where a noun may be written in several ways
_WORD_LISTS = ("function", "clause", "dating", "vague", "generic")  # in a language file, as `Words` has them


class Template(NamedTuple):
    """A sentence that states an attribute."""

    attribute: str  # empty: the noun says which
    near: tuple[str, ...]  # of a template by verb: one of them stands in every sentence that fits
    source: str
    inflected: bool  # the subject may stand in any case


class Sentences(NamedTuple):
    """The sentences of one language that state attributes."""

    lead: str
    tail: str
    words: Words  # that values may hold or not
    attribute_of_noun: tuple[tuple[str, str], ...]  # expression of the nouns, attribute
    templates: tuple[Template, ...]
    frames: tuple[Template, ...]
    near_nouns: tuple[str, ...]  # one of them stands in every sentence that fits a frame
    near_words: tuple[str, ...]  # these, and those of all templates, each once

    def near(self, folded: str) -> Iterator[Template]:
        """Yield the sentences that may fit by the words that have to stand in them, templates by verb first."""
        held = {word for word in self.near_words if word in folded}
        if held:  # many templates share a word, and most texts hold none
            yield from (one for one in self.templates if not held.isdisjoint(one.near))
            yield from (() if held.isdisjoint(self.near_nouns) else self.frames)


@cache
def load_sentences(code: str) -> Sentences:
    """Read the file of a language, by its code such as en, once."""
    data = read_table(Path(PATTERNS, "attributes", f"{code}.toml"))
    # Longer nouns first, so that "status page" would win over "status".
    every = "|".join(sorted((noun for nouns in data["nouns"].values() for noun in nouns.split("|")), key=len)[::-1])
    places = "|".join(data["places"].split())
    frames = [Template("", (), frame.replace("{nouns}", every), inflected=True) for frame in data["frames"]]
    templates = [
        Template(
            entry["attribute"],
            tuple(entry["near"].split()),
            entry["pattern"].replace("{places}", places),
            inflected=entry.get("inflected", False),
        )
        for entry in data["template"]
    ]
    near_nouns = tuple(dict.fromkeys(max(_VARIANT.split(noun), key=len) for noun in every.split("|")))
    return Sentences(
        data["lead"],
        data["tail"],
        Words(frozenset(), *(frozenset(data.get(key, "").split()) for key in _WORD_LISTS)),
        tuple((nouns, attribute) for attribute, nouns in data["nouns"].items()),
        tuple(templates),
        tuple(frames),
        near_nouns,
        tuple(dict.fromkeys((*near_nouns, *(word for one in templates for word in one.near)))),
    )
