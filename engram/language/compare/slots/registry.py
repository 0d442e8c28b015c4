"""What is known of each attribute, whatever the language, read from patterns/attributes.toml."""

from functools import cache
from typing import NamedTuple

from engram.language.compare.reading.stems import fold
from engram.language.matching.language_files import read_kind


class Attribute(NamedTuple):
    """What the registry says of an attribute, whatever the language."""

    single: bool  # holds one value at a time
    kind: str  # of the entities on which sentences are read as this attribute: people, projects, or "" for any
    shape: str  # what a value looks like
    personal: bool  # whether people have it as things do
    never: frozenset[str]  # kinds of place that no value names
    known: frozenset[str]  # names of technology that people write small, folded
    names: frozenset[str]  # other names for it, folded


@cache
def attributes() -> dict[str, Attribute]:
    """Return the attributes by their names."""
    return {
        name: Attribute(
            entry["single"],
            entry.get("of", ""),
            entry.get("shape", "phrase"),
            entry.get("personal", False),
            frozenset(entry.get("never", "").split()),
            frozenset(map(fold, entry.get("known", "").split())),
            frozenset(map(fold, entry.get("names", "").split())),
        )
        for name, entry in read_kind("attributes").items()
    }
