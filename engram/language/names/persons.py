"""Which names are those of people: by given names, and by what a text says that they do or are."""

import functools
import re
from collections.abc import Iterator

from engram.language.matching.patterns import joined
from engram.language.names.word_lists import pattern
from engram.language.names.word_lists import words

_NO_PERSON = re.compile("[A-Z]{2,}[a-z]")  # OAuth, not McCloud


def is_person(prose: str, name: str) -> bool:
    """Tell whether a name is a person's: by its first word, or by what the text says that it does."""
    if name.split(maxsplit=1)[0].casefold().replace("ё", "е") in words("given_names"):
        return True
    if pattern("patronymic").search(name):
        return True
    if _NO_PERSON.match(name):
        return False
    if plays_role(prose, name):
        return True
    after, before = _people_patterns()
    for start in _places(name, prose):
        if after.match(prose, start + len(name)) or before.search(prose[max(0, start - 30) : start]):
            return True
    return False


def introductions(prose: str) -> frozenset[int]:
    """Return where names begin of whom a text says whose they are: "my sister Meera", "our new boss is Luis"."""
    return frozenset(found.end() for found in _introductions().finditer(prose))


def plays_role(prose: str, name: str) -> bool:
    """Tell whether a text that begins with a name says what a person is to others: "Luis, our accountant"."""
    start = len(prose) - len(prose.lstrip("*_- "))
    end = start + len(name)
    is_label = prose.startswith(":", end)  # "Priya: leads the harbour project"
    return bool(name) and prose.startswith(name, start) and _roles().match(prose, end + is_label) is not None


def _places(name: str, prose: str) -> Iterator[int]:
    """Yield where a name stands as a word of its own; an expression of its own for each name costs far more."""
    start = prose.find(name)
    while start >= 0:
        end = start + len(name)
        if not (_is_in_word(prose[max(0, start - 1) : start]) or _is_in_word(prose[end : end + 1])):
            yield start
        start = prose.find(name, start + 1)


def _is_in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


@functools.cache
def _people_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    verbs = "|".join(
        re.escape(verb[:-1]) + r"\w*" if verb.endswith("-") else re.escape(verb)
        for verb in sorted(words("people_verbs"))
    )
    nouns = "|".join(sorted(words("people_before") | words("people_roles_before")))
    between = "|".join(sorted(words("people_auxiliaries")))
    return re.compile(rf"(?:{_roles().pattern})|\s+(?:(?:{between})\s+)?(?:{verbs})(?!\w)", re.IGNORECASE), re.compile(
        rf"(?<!\w)(?:{nouns})\.?\s+$", re.IGNORECASE
    )


@functools.cache
def _roles() -> re.Pattern[str]:
    return re.compile(pattern("people_roles").pattern, re.IGNORECASE)


@functools.cache
def _introductions() -> re.Pattern[str]:
    """Return what ends where the name of somebody's relation or colleague begins; of few words, so it is bounded."""
    roles = "|".join(map(re.escape, sorted(words("people_roles_before"))))
    owner, copula = joined("lines", "possessive"), joined("names", "people_copulas")
    return re.compile(rf"(?:{owner})\s(?:[\w-]{{2,20}}\s){{0,2}}(?:{roles})(?:,|{copula})?\s", re.IGNORECASE)
