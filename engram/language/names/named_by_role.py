"""Whom a text names by their whole name and says who that is: "Greta Lund = my supervisor", "coach is Nora Finch"."""

import functools
import re
from typing import Final

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.names.word_lists import Languages
from engram.language.names.word_lists import either
from engram.language.names.word_lists import languages_of
from engram.language.names.word_lists import roles
from engram.language.names.word_lists import words

_NAME: Final = r"[A-ZÀ-ÖØ-ÞА-ЯЁ](?=[\w'’-]{0,20}[a-zà-öø-ÿа-яё])[\w'’-]{1,20}(?<!['’]s)"
_FULL: Final = rf"{_NAME}(?:\s{_NAME}){{1,2}}(?!\w)"  # a first name and a surname; one name alone may be a thing's
_TWO_CAPITALS: Final = re.compile(rf"{_NAME}\s[A-ZÀ-ÖØ-ÞА-ЯЁ]")  # of a first name and a surname
_PARTS: Final = ("{name}", "{role}")
_SIGNS: Final = " \t*_-,;:("  # before a statement
_NO_MORE: Final = re.compile(r"\W*(?:\w+\W*)?$")  # "now"
_REMEMBERED: Final = 4096  # texts that were looked at a moment ago
_BEGINNING: Final = 4  # signs before a statement


@functools.lru_cache(maxsize=_REMEMBERED)
def named_by_role(prose: str) -> dict[str, bool]:
    """Return the whole names of people whom a text says to be something, each with whether the text is about them.

    So it is where it begins with that. "My manager is Oleg Petrov" and no more tells of me: next year it is another.
    Companies and programs are left out: "our supplier is Acme Corp".
    """
    found: dict[str, bool] = {}
    if _TWO_CAPITALS.search(prose) is None:  # most texts name nobody so, and that is soon seen
        return found
    for one in _said(languages_of(prose)).finditer(prose):
        name = next(filter(None, one.groups()))
        if not _is_no_person(name):
            is_first = one.start() <= _BEGINNING and not prose[: one.start()].strip(_SIGNS)
            found.setdefault(name, is_first and not (_owned().match(prose) and _NO_MORE.match(prose, one.end())))
    return found


def acts(prose: str, name: str) -> bool:
    """Tell whether a text says behind a whole name what people do: "Ellie Marsh trains the kids"."""
    if " " not in name or not compiled(_FULL).fullmatch(name) or _is_no_person(name):
        return False
    begin = prose.find(name)
    verbs = compiled(rf"\s(?:{either('people_whole_verbs', languages_of(prose))})")
    return begin >= 0 and verbs.match(prose, begin + len(name)) is not None


def _is_no_person(name: str) -> bool:
    parts = name.split()
    forms = compiled(either("company_forms", frozenset({"any"})))
    kinds = compiled(either("company_words", frozenset({"any"})))
    return any(
        forms.fullmatch(part)
        or kinds.fullmatch(part)
        or part.casefold() in words("no_people") | words("common") | roles()
        for part in parts
    )


@functools.cache
def _owned() -> re.Pattern[str]:
    return compiled(rf"\W{{0,4}}(?:(?i:{joined('lines', 'possessive')}))\s")


@functools.cache
def _said(languages: Languages) -> re.Pattern[str]:
    role = "|".join(sorted(map(re.escape, roles() - words("titles")), key=len, reverse=True))
    forms = either("people_named", languages)
    for part, expression in zip(_PARTS, (rf"({_FULL})", rf"(?i:{role})(?!\w)"), strict=True):
        forms = forms.replace(part, expression)
    return compiled(forms)
