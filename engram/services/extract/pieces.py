"""Statements of a conversation that say nothing without the one before: when, or what of whatever was spoken of.

"From next week.", "goes to Henning", "deadline 15 January": who writes in a hurry parts one statement by a full stop.
"""

import functools
import re
from typing import Final

from engram.language.dates.day_hints import is_of_days
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.names.new_entities import is_no_name
from engram.language.names.persons import is_person
from engram.language.names.spans import ACRONYM
from engram.language.names.spans import PLAIN_NAMES
from engram.services.extract.lines.evidence import names_in

_KIND: Final = "lines"  # of the data files
_WORD: Final = re.compile(r"[^\W\d_]+")
_MOST_WORDS_OF_A_TIME: Final = 6
_MOST_WORDS: Final = 8  # of a property with its value; longer ones say enough by themselves


def says_only_when(text: str) -> bool:
    """Tell whether a text is a time and nothing more: "From next week."."""
    said = _WORD.findall(text.casefold())
    return 0 < len(said) <= _MOST_WORDS_OF_A_TIME and all(word in _words_of_time() or is_of_days(word) for word in said)


def lacks_subject(text: str) -> bool:
    """Tell whether a text says something of what it does not name: "goes to Henning", "no budget anyway"."""
    return expression(_KIND, "lacks_subject", r"(?i:\W{0,4}(?:%s))").match(text) is not None


def is_of_something_before(text: str) -> bool:
    """Tell whether a text is a property of something with its value, and no more: "deadline 15 January, still time"."""
    if len(text.split()) > _MOST_WORDS:
        return False
    return expression(_KIND, "bare_property", r"(?i:\W{0,4}(?:%s))").match(text) is not None


def name_spoken_of(before: str) -> str:
    """Return the first name in a sentence that is neither a person's nor a place's; "" for none."""
    spans = (one for one in names_in(before) if one.start and one.form in {*PLAIN_NAMES, ACRONYM})
    return next((one.name for one in spans if not is_no_name(one.name) and not is_person(before, one.name)), "")


@functools.cache
def _words_of_time() -> frozenset[str]:
    return frozenset(phrases(joined(_KIND, "time_words")))
