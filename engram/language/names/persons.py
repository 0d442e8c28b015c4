"""Which names are those of people: by given names, and by what a text says that they do or are."""

import functools
import re
from collections.abc import Iterator

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.names.word_lists import pattern
from engram.language.names.word_lists import roles
from engram.language.names.word_lists import words

_NAME = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]{1,20}"
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
    """Return where names begin of whom a text says whose they are: "my sister Meera", "five players: Mo and Priya"."""
    listed = (found.start(1) + at for found in _groups().finditer(prose) for at in _starts_of_names(found[1]))
    return frozenset((*(found.end() for found in _introductions().finditer(prose)), *listed))


def _starts_of_names(listed: str) -> Iterator[int]:
    """Yield where the names of a list begin; what stands before one, such as "my husband", is written small."""
    return (found.start() for found in compiled(rf"(?<!\w){_NAME}").finditer(listed))


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
    nouns = "|".join(map(re.escape, sorted(words("people_before") | words("people_roles_before"))))
    owned = "|".join(map(re.escape, sorted(words("people_roles_owned"))))
    between = "|".join(sorted(words("people_auxiliaries")))
    return re.compile(rf"(?:{_roles().pattern})|\s+(?:(?:{between})\s+)?(?:{verbs})(?!\w)", re.IGNORECASE), re.compile(
        rf"(?:(?<!\w)(?:{nouns})|(?:{joined('lines', 'possessive')})\s(?:[\w-]{{2,20}}\s)?(?:{owned}))\.?\s+$",
        re.IGNORECASE,
    )


@functools.cache
def _roles() -> re.Pattern[str]:
    return re.compile(pattern("people_roles").pattern, re.IGNORECASE)


@functools.cache
def _groups() -> re.Pattern[str]:
    """Return what finds several people by what they are together, and their names after it."""
    nouns, joins = "|".join(map(re.escape, sorted(words("people_groups")))), joined("names", "people_joins")
    copula = joined("names", "people_group_copulas")
    comma, small = r"\s*[,，、]\s*", r"(?:[^\W\d_A-ZА-ЯЁ][\w-]{0,20}\s){0,2}"
    name = rf"{small}{_NAME}(?:\s{_NAME})?"
    behind = rf"(?:(?:\s(?:{copula}))?\s*[:(–—-]\s*|\s(?:{copula})\s)"
    counted = rf"(?:{joined('lines', 'possessive')}|\d{{1,3}}|{joined('names', 'people_counts')})\s"
    group = rf"(?<!\w)(?:(?:{nouns}){behind}|{counted}(?:{nouns}){comma})"
    names = rf"(?:{name}{comma}){{0,12}}{name}(?:{comma}|\s)(?i:{joins})\s{name}"
    return re.compile(rf"(?i:{group})({names})")


@functools.cache
def _introductions() -> re.Pattern[str]:
    """Return what ends where the name of somebody's relation or colleague begins; of few words, so it is bounded."""
    whose = "|".join(map(re.escape, sorted(roles())))
    owner, copula = joined("lines", "possessive"), joined("names", "people_copulas")
    return re.compile(rf"(?:{owner})\s(?:[\w-]{{2,20}}\s){{0,2}}(?:{whose})(?:,|{copula})?\s", re.IGNORECASE)
