"""Whose a property is that a sentence speaks of: 제비 마감일 is the deadline of 제비, and no thing of its own."""

import re
from functools import cache
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages

# Korean puts the owner before what it has without any sign; in other languages an article or a case tells.
_BEHIND_OWNER: Final = "(?<=[가-힣]) "


def without_property(name: str) -> str:
    """Return the owner in a Korean phrase that ends in a property, else the phrase as it is."""
    return _property().sub("", name)


@cache
def _property() -> re.Pattern[str]:
    """Return what finds a property at the end of a phrase: an attribute by one of its nouns."""
    nouns = (noun for data in read_languages("attributes").values() for noun in data["nouns"].values())
    return kept(rf"{_BEHIND_OWNER}(?:{'|'.join(nouns)})$")
