"""Which names a text says are those of companies: by their form, by what they are, and by what is theirs."""

import functools
import re

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.names.word_lists import Languages
from engram.language.names.word_lists import either
from engram.language.names.word_lists import languages_of

_NAME = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][\w&'’-]{1,30}?"


def organisations(prose: str) -> frozenset[str]:
    """Return the names that a text says are companies', as written, and how they begin: "the company Zentric".

    Zentric Logistics is called Zentric, too.
    """
    found = (one.groupdict() for one in _said(languages_of(prose)).finditer(prose))
    names = (name.split() for one in found for name in one.values() if name)
    return frozenset(" ".join(name[:length]) for name in names for length in range(1, len(name) + 1))


def is_legal_form(name: str) -> bool:
    """Tell whether a word is no name, but says of the one before it that it is a company's: Ltd, GmbH, ООО."""
    return expression("names", "company_forms", r"(?i:%s)\.?").fullmatch(name) is not None


@functools.cache
def _said(languages: Languages) -> re.Pattern[str]:
    """Return what finds a name of up to three words beside what only companies are, are called or have."""
    name = rf"{_NAME}(?:\s{_NAME}){{0,2}}"
    ends = rf"(?=\W*$|[^\w\s]|\s(?:{either('company_more', languages)})(?!\w))"
    is_one = rf"(?:,|\s(?:{either('company_copulas', languages)}))\s(?:{either('company_kinds', languages)}){ends}"
    is_called = rf",?\s(?:{either('company_forms', languages)})(?!\w)"
    behind = rf"{is_called}|{is_one}|['’]s\s(?:{either('company_has', languages)})(?!\w)"
    before = rf"(?<!\w)(?i:{either('company_before', languages)})\s(?P<later>{name})(?![\w&-])"
    word = f"(?:{either('company_words', languages)})"
    of_what = rf"(?:\s(?:{either('company_of', languages)})\s{_NAME})?"
    of_them = rf"(?<!\w)(?P<whole>(?:{_NAME}\s){{0,2}}{word}{of_what})(?![\w&-])"
    return kept(rf"(?<!\w)(?P<first>{name}?)(?:{behind})|{before}|{of_them}")
