"""Which of a few forms a question has by its words: who, when, where, prefers, latest, what; see patterns/asking."""

import re
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

WHAT: Final = "what"  # of a question that names an attribute: "what is the budget", "how old", "which port"
FORMS: Final = ("who", "when", "where", "prefers", "latest", WHAT)  # a question with words of two has the first of them
_MOST_CHARS: Final = 400  # a longer text is no question of such a form
_MOST_OF_A_BARE_ONE: Final = 80  # characters; who asks at more length tells something with it
_QUESTIONS: Final = re.compile(
    r"(?:[^.!?;。！？；\n]|[.](?=\S))+[?？][?？!！\s]*(?:[^.!?;。！？；\n]+[?？][?？!！\s]*)?"
)


class AskedForm(NamedTuple):
    """The form of a question, and the question with the words that tell it made blank, as long as it was."""

    form: str
    rest: str
    language: str  # code of the language whose words told it


def find_form(question: str) -> AskedForm | None:
    """Return the form of a question in any of the languages; None when its words tell none. Linear in its length."""
    if len(question) > _MOST_CHARS:
        return None
    low = in_small_letters(question)
    for form in FORMS:
        for language, source in _sources(form):
            if found := compiled(source).search(low):
                spans = [found.span(group) for group in range(1, found.re.groups + 1)] or [found.span()]
                return AskedForm(form, blanked(question, *spans), language)
    return None


def only_asks(text: str) -> bool:
    """Tell whether a text is a short question, or two, and nothing else, and has a question word. Linear in its length.

    "Could you book the room that Anna liked?" tells of Anna; "who leads Atlas?" tells nothing.
    """
    if len(text) > _MOST_OF_A_BARE_ONE or _QUESTIONS.fullmatch(text.strip()) is None:
        return False
    return find_form(text) is not None


def in_small_letters(text: str) -> str:
    """Return a text in small letters with ё as е, every character in its place: ß is no two letters here."""
    folded = (char.casefold() for char in text)
    low = "".join(small if len(small) == 1 else char for char, small in zip(text, folded, strict=True))
    return low.replace("ё", "е")


def blanked(text: str, *spans: tuple[int, int]) -> str:
    """Return a text with these parts made blank; a part at -1 is none."""
    for start, end in spans:
        if start >= 0:
            text = text[:start] + " " * (end - start) + text[end:]
    return text


@cache
def _sources(form: str) -> tuple[tuple[str, str], ...]:
    files = read_languages("asking").items()
    return tuple((language, Pattern(data[form]).source) for language, data in files if form in data)
