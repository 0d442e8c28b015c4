"""Attribute and value of a statement, by the templates in patterns/attributes.toml."""

import re
import tomllib
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.lexicon import PATTERNS
from engram.language.lexicon import fold


class Slot(NamedTuple):
    """A statement as subject, attribute and value."""

    who: str  # the subject as folded text; empty when it is left out
    attribute: str  # a name from the registry
    value: str  # as the statement wrote it, white space folded


class _Attribute(NamedTuple):
    single: bool  # holds one value at a time
    names: frozenset[str]  # other words for it, folded
    templates: tuple[re.Pattern[str], ...]  # over folded text, with groups value and perhaps who


@cache
def _registry() -> dict[str, _Attribute]:
    data = tomllib.loads((PATTERNS / "attributes.toml").read_text("utf-8"))
    return {
        name: _Attribute(
            entry["single"],
            frozenset(map(fold, entry["names"].split())),
            tuple(re.compile(template + r"[.!]?") for template in entry["templates"]),
        )
        for name, entry in data.items()
    }


def single_valued(attribute: str) -> bool:
    """Tell whether the attribute, by any of its names, holds one value at a time; unknown ones may hold many."""
    word = fold(attribute).replace(" ", "-").replace("_", "-")
    return any(entry.single and (word == name or word in entry.names) for name, entry in _registry().items())


def find_slot(text: str) -> tuple[str, str] | None:
    """Return (attribute, value) when the whole statement says just that, by a template of the registry, else None."""
    slot = read_slot(text)
    return (slot.attribute, slot.value) if slot else None


@lru_cache(maxsize=8192)  # asked again for each statement that the text is compared with
def read_slot(text: str) -> Slot | None:
    """Return the statement as subject, attribute and value, else None."""
    written = " ".join(text.split())
    folded = fold(text)
    if folded.endswith("?"):
        return None
    for name, entry in _registry().items():
        for template in entry.templates:
            match = template.fullmatch(folded)
            if match:
                span = match.span("value")
                value = written[slice(*span)] if len(written) == len(folded) else match["value"]
                return Slot(match.groupdict().get("who") or "", name, value.rstrip(".! "))
    return None
