"""Which names are those of people: by given names, and by what a text says that they do or are."""

import functools
import re
from collections.abc import Iterator

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.names.named_by_role import acts
from engram.language.names.named_by_role import named_by_role
from engram.language.names.word_lists import Languages
from engram.language.names.word_lists import either
from engram.language.names.word_lists import languages_of
from engram.language.names.word_lists import pattern
from engram.language.names.word_lists import roles
from engram.language.names.word_lists import words

_NAME = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]{1,20}"
_NO_PERSON = re.compile("[A-Z]{2,}[a-z]|[A-Z][a-z]{1,20}[A-Z]{2}")  # OAuth and ChatGPT, not McCloud
_REMEMBERED = 4096  # texts in which somebody was looked for a moment ago


@functools.lru_cache(maxsize=_REMEMBERED)
def is_person(prose: str, name: str) -> bool:
    """Tell whether a name is a person's: by its first word, or by what the text says that it does."""
    is_called = name.split(maxsplit=1)[0].casefold().replace("ё", "е") in words("given_names")
    if is_called or pattern("patronymic").search(name):
        return True
    if _NO_PERSON.match(name) or name.casefold() in words("no_people"):
        return False
    if plays_role(prose, name) or name in named_by_role(prose) or acts(prose, name):
        return True
    languages = languages_of(prose)
    after, before = _people_patterns(languages)
    spoken_to = _spoken_to(prose, languages)
    for start in _places(name, prose):
        if start in spoken_to or after.match(prose, start + len(name)):
            return True
        in_front = prose[max(0, start - 30) : start]
        if not in_front[-1:].isspace():  # what stands before a name and tells of a person ends with a space
            continue
        untitled = _title_before_name().sub("", in_front)  # a title of any language: "my accountant Sr. Figueiredo"
        if any(map(before.search, {in_front, untitled})):
            return True
    return False


def introductions(prose: str) -> frozenset[int]:
    """Return where names begin of whom a text says whose they are, or that somebody speaks with them.

    "my sister Meera", "Mr. Kowalski", "five players: Mo and Priya", "I asked Gaetane and met with Olu".
    """
    languages = languages_of(prose)
    listed = (found.start(1) + at for found in _groups(languages).finditer(prose) for at in _starts_of_names(found[1]))
    owned = (found.end() for found in _introductions(languages).finditer(prose))
    titled = (found.end() for found in _titled(languages).finditer(prose))
    return frozenset((*owned, *titled, *listed, *_spoken_to(prose, languages)))


@functools.lru_cache(maxsize=_REMEMBERED)
def _spoken_to(prose: str, languages: Languages) -> frozenset[int]:
    """Return where names begin of those who are asked, told or met; products and companies are left out."""
    starts: set[int] = set()
    for found in _addressed(languages).finditer(prose):
        names = [name for name in ("name", "other") if found[name]]
        if not any(_is_no_person(found[name], languages) for name in names):
            starts.update(found.start(name) for name in names)
    return frozenset(starts)


def _is_no_person(name: str, languages: Languages) -> bool:
    """Tell whether a name is a program's, a company's, or the plural of what people are: Kunden, Anwälten."""
    low = name.casefold()
    if low in words("no_people") or low in words("common") or not name[1:].islower():
        return True
    if expression("machine", "programs").fullmatch(low):
        return True
    ending = pattern("person_endings", languages).search(low)
    return ending is not None and (low[: ending.start()] in _bare_roles(languages) or low in words("people_groups"))


@functools.cache
def _bare_roles(languages: Languages) -> frozenset[str]:
    """Return what somebody is to others without its ending: "kund" of Kunde and Kunden."""
    ending = pattern("person_endings", languages)
    return frozenset(one for role in roles(languages) for one in (role, ending.sub("", role)))


def _starts_of_names(listed: str) -> Iterator[int]:
    """Yield where the names of a list begin; what stands before one, such as "my husband", is written small."""
    return (found.start() for found in compiled(rf"(?<!\w){_NAME}").finditer(listed))


def plays_role(prose: str, name: str) -> bool:
    """Tell whether a text that begins with a name says what a person is to others: "Luis, our accountant"."""
    start = len(prose) - len(prose.lstrip("*_- "))
    end = start + len(name)
    is_label = prose.startswith(":", end)  # "Priya: leads the harbour project"
    if not (name and prose.startswith(name, start)) or name.casefold() in words("no_people"):
        return False
    return _roles(languages_of(prose)).match(prose, end + is_label) is not None


def _places(name: str, prose: str) -> Iterator[int]:
    """Yield where a name stands as a word of its own; an expression of its own for each name costs far more."""
    start = prose.find(name)
    while start >= 0:
        end = start + len(name)
        if not (is_in_word(prose[max(0, start - 1) : start]) or is_in_word(prose[end : end + 1])):
            yield start
        start = prose.find(name, start + 1)


def is_in_word(sign: str) -> bool:
    """Tell whether a word goes on with a sign."""
    return sign.isalnum() or sign == "_"


@functools.cache
def _people_patterns(languages: Languages) -> tuple[re.Pattern[str], re.Pattern[str]]:
    verbs = "|".join(
        re.escape(verb[:-1]) + r"\w*" if verb.endswith("-") else re.escape(verb)
        for verb in sorted(words("people_verbs", languages))
    )
    before = words("people_before", languages) | words("people_roles_before", languages)
    nouns = "|".join(map(re.escape, sorted(before)))
    owned = "|".join(map(re.escape, sorted(words("people_roles_owned", languages))))
    between = "|".join(sorted(words("people_auxiliaries", languages)))
    done_by = "|".join(sorted(words("people_done_by", languages))) or NOTHING
    return kept(
        rf"(?:{_roles(languages).pattern})|\s+(?:(?:{between})\s+)?(?:{verbs})(?!\w)(?!\s+(?:{done_by})(?!\w))",
        re.IGNORECASE,
    ), kept(
        rf"(?:(?<!\w)(?:{nouns})|(?:{joined('lines', 'possessive')})\s(?:[\w-]{{2,20}}\s)?(?:{owned}))\.?\s+$",
        re.IGNORECASE,
    )


@functools.cache
def _roles(languages: Languages) -> re.Pattern[str]:
    return kept(pattern("people_roles", languages).pattern, re.IGNORECASE)


@functools.cache
def _groups(languages: Languages) -> re.Pattern[str]:
    """Return what finds several people by what they are together, and their names after it."""
    nouns = "|".join(map(re.escape, sorted(words("people_groups", languages))))
    joins, copula = either("people_joins", languages), either("people_group_copulas", languages)
    comma, small = r"\s*[,，、]\s*", r"(?:[^\W\d_A-ZА-ЯЁ][\w-]{0,20}\s){0,2}"
    name = rf"{small}{_NAME}(?:\s{_NAME})?"
    behind = rf"(?:(?:\s(?:{copula}))?\s*[:(–—-]\s*|\s(?:{copula})\s)"
    counted = rf"(?:{joined('lines', 'possessive')}|\d{{1,3}}|{either('people_counts', languages)})\s"
    group = rf"(?<!\w)(?:(?:{nouns}){behind}|{counted}(?:{nouns}){comma})"
    names = rf"(?:{name}{comma}){{0,12}}{name}(?:{comma}|\s)(?i:{joins})\s{name}"
    return kept(rf"(?i:{group})({names})")


@functools.cache
def _introductions(languages: Languages) -> re.Pattern[str]:
    """Return what ends where the name of somebody's relation or colleague begins; of few words, so it is bounded."""
    whose = "|".join(map(re.escape, sorted(roles(languages))))
    owner, copula = joined("lines", "possessive"), either("people_copulas", languages)
    titles = "|".join(map(re.escape, sorted(words("titles"))))
    return kept(
        rf"(?:{owner})\s(?:[\w-]{{2,20}}\s){{0,2}}(?:{whose})(?:,|{copula})?\s(?:(?:{titles})\.?\s)?", re.IGNORECASE
    )


@functools.cache
def _title_before_name() -> re.Pattern[str]:
    titles = "|".join(map(re.escape, sorted(words("titles"))))
    return kept(rf"(?i:(?<!\w)(?:{titles})\.?\s+$)")


@functools.cache
def _titled(languages: Languages) -> re.Pattern[str]:
    """Return what ends where a name begins behind a title: "Mr. ", "Frau "."""
    titles = "|".join(map(re.escape, sorted(words("titles", languages))))
    return kept(rf"(?<!\w)(?i:{titles or NOTHING})\.?\s(?={_NAME})")


@functools.cache
def _addressed(languages: Languages) -> re.Pattern[str]:
    """Return what finds the `name` of somebody who is spoken to, and the `other` one that is spoken to with them."""
    spoken, joins = either("people_spoken_to", languages), either("people_joins", languages)
    not_one = f"(?:['’]s|[, ]{{1,2}}(?:{joined('lines', 'phrase_kinds')}|{either('people_no_one', languages)}))(?!\\w)"
    name = rf"{_NAME}(?!\w)(?![.@/]\w)"
    return kept(rf"(?<!\w)(?i:{spoken})(?P<name>{name})(?!{not_one})(?:\s(?i:{joins})\s(?P<other>{name}))?")
