"""Which of a few forms a question has by its words: who, when, where, prefers, latest; see patterns/asking."""

from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

FORMS: Final = ("who", "when", "where", "prefers", "latest")  # a question with words of two has the first of them
_MOST_CHARS: Final = 400  # a longer text is no question of such a form


class AskedForm(NamedTuple):
    """The form of a question, and the question with the words that tell it made blank, as long as it was."""

    form: str
    rest: str


def find_form(question: str) -> AskedForm | None:
    """Return the form of a question in any of the languages; None when its words tell none. Linear in its length."""
    low = question.casefold().replace("ё", "е")
    if len(low) != len(question) or len(low) > _MOST_CHARS:
        return None
    for form in FORMS:
        for source in _sources(form):
            if found := compiled(source).search(low):
                spans = [found.span(group) for group in range(1, found.re.groups + 1)] or [found.span()]
                return AskedForm(form, blanked(question, *spans))
    return None


def blanked(text: str, *spans: tuple[int, int]) -> str:
    """Return a text with these parts made blank; a part at -1 is none."""
    for start, end in spans:
        if start >= 0:
            text = text[:start] + " " * (end - start) + text[end:]
    return text


@cache
def _sources(form: str) -> tuple[str, ...]:
    return tuple(Pattern(data[form]).source for data in read_languages("asking").values() if form in data)
