"""What kind of answer a question wants (a sum of money, an age, a name), and whether a text holds one of that kind.

By the files in patterns/answer_kinds. In a language without a file no kind is asked for: then nothing is said. Days and
times of day are no kind of these: whatever was said has a day, and who asks for one may mean that. Whether a text names
one is told apart from them.
"""

import re
from functools import cache
from typing import Final

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

NAME: Final = "name"
KINDS: Final = ("age", "duration", "money", "phone", "email", "number", NAME)
"""In the order in which they are looked for: "how much does it cost" asks for a number, too."""

_COUNTED: Final = frozenset({"number", "money"})  # kinds that any digits may be, but those of "no_number"
_DAY: Final = "date"  # what is written like a name and is none
_MOST_CHARS: Final = 400  # of a question; a longer prompt tells a story
_SPEAKER: Final = re.compile(r"(?m)^[^:\n]{1,40}: ")
_WORD: Final = re.compile(r"\w+")
_STEM: Final = 4  # first letters by which an inflected name of the question is known


def find_kind(question: str) -> str | None:
    """Return what kind of answer a question wants; None when its words do not tell."""
    if len(question) > _MOST_CHARS:
        return None
    low = _folded(question)
    return next((kind for kind in KINDS if any(asked.search(low) for asked in _patterns(f"asks_{kind}"))), None)


def holds_kind(text: str, kind: str, question: str) -> bool:
    """Tell whether a text holds an answer of a kind that the question does not hold itself. Linear in its length."""
    if kind == NAME:
        return _holds_name(_SPEAKER.sub("", text), question)
    low = _folded(text)
    if kind in _COUNTED:
        for nothing in _patterns("no_number"):
            low = nothing.sub(" ", low)
    for number in re.findall(r"\d+", question):  # "the 5 km run" is no time that was run
        low = re.sub(rf"(?<!\d){number}(?!\d)", " ", low)
    return any(pattern.search(low) for pattern in _patterns(kind))


def holds_day(text: str) -> bool:
    """Tell whether a text names a day or a time of day, as far as its language has words for them here."""
    low = _folded(text)
    return any(pattern.search(low) for pattern in _patterns(_DAY))


def _holds_name(text: str, question: str) -> bool:
    """Tell whether a text holds a name that the question has not; days are none."""
    asked, low = {word[:_STEM] for word in _words(question)}, question.casefold()
    for pattern in _patterns(NAME):
        for found in pattern.finditer(text):
            name = found[found.lastindex or 0].casefold()
            known = name in low or all(word[:_STEM] in asked for word in _words(name))
            if not known and not any(day.search(_folded(name)) for day in _patterns(_DAY)):
                return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _folded(text: str) -> str:
    return text.casefold().replace("ё", "е")


@cache
def _patterns(table: str) -> tuple[re.Pattern[str], ...]:
    files = read_languages("answer_kinds").values()
    return tuple(compiled(Pattern(data[table]).source) for data in files if table in data)
