"""Whom a text speaks of by what they are to somebody: "Bob's mate", "her sister", "la sœur de Bruno"."""

import functools
import re
from collections.abc import Iterator
from typing import Final
from typing import NamedTuple

from engram.language.matching.patterns import NOTHING
from engram.language.names.word_lists import Languages
from engram.language.names.word_lists import either
from engram.language.names.word_lists import languages_of
from engram.language.names.word_lists import roles

_ROLE: Final = "{role}"  # in the data: what somebody is to others
_APPOSITION: Final = re.compile(r",\s?$")  # in front of what says who is named before it: "Luis, our accountant, ..."
_CLOSED: Final = re.compile(r"\s?(?:[,.;!?)]|$)")


class Relative(NamedTuple):
    """Somebody who is something to another: `text[start:end]`."""

    start: int  # characters from the beginning of the text
    end: int  # characters, exclusive
    owner: str  # name of whose they are; "" for a pronoun


def relatives(prose: str) -> Iterator[Relative]:
    """Yield whom a text speaks of by what they are to another; "Luis is our accountant" says so of Luis, so it is none.

    Whether a name stands beside it is not looked at: "her sister" and "her sister Meera" are both one more person.
    """
    languages = languages_of(prose)
    for found in _relatives(languages).finditer(prose):
        before = prose[: found.start()]
        is_behind_name = _APPOSITION.search(before) is not None and _CLOSED.match(prose, found.end()) is not None
        if not is_behind_name and _says_who(languages).search(before) is None:
            owner = next((name for part, name in found.groupdict().items() if part.startswith("owner") and name), "")
            yield Relative(*found.span(), owner)


@functools.cache
def _relatives(languages: Languages) -> re.Pattern[str]:
    role = "|".join(sorted(map(re.escape, roles(languages)), key=len, reverse=True))
    return re.compile(either("people_of", languages).replace(_ROLE, f"(?i:{role})"))


@functools.cache
def _says_who(languages: Languages) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either('people_of_told', languages) or NOTHING})\s?$", re.IGNORECASE)
