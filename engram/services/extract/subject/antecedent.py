"""Whom "she" means at the beginning of what somebody says: the one person of whom they spoke right before. Pure.

A pronoun is only read where nobody else can be meant. Languages in which things have a gender mean things by it, too:
there the sentence has to tell what people do, or the one before to name no thing.
"""

import functools
import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import expression
from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import is_no_name
from engram.language.names.nouns import is_plain_noun
from engram.language.names.persons import is_person
from engram.language.names.persons import plays_role
from engram.language.names.relatives import relatives
from engram.language.names.spans import PROPER
from engram.language.names.spans import TITLED
from engram.language.names.spans import NameSpan
from engram.language.names.word_lists import roles
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.evidence import names_in
from engram.services.extract.lines.line import Line

_PEOPLE: Final = "people/"
_FULL_NAME: Final = 2  # words
_NEAR: Final = 2  # statements of a note before a pronoun, in which it may mean somebody


class Antecedent(NamedTuple):
    """A person whom a pronoun means."""

    name: str  # as written
    path: str  # of the entity; "" while there is none


class _Pronouns(NamedTuple):
    begins: re.Pattern[str]  # a statement with such a pronoun
    thing: re.Pattern[str] | None  # a thing, where such a pronoun may mean one
    does: re.Pattern[str]  # what people do, behind the pronoun


def find_antecedent(line: Line, index: NameIndex, evidence: Evidence) -> Antecedent | None:
    """Return whom the pronoun means with which a statement begins; None when that is not certain.

    In a conversation only one person may have been spoken of. A note goes on for longer: there it is the one person of
    the last statement that names somebody, right before in the same section.
    """
    said = next((one for one in _pronouns() if one.begins.match(line.text)), None)
    people = _people_before(line, index, evidence) if said is not None else []
    if said is None or len(people) != 1 or not people[0].name:
        return None
    (found,) = people
    if said.thing is None or _tells_of_people(said, line.text):
        return found
    if not line.speaker:
        return None
    return None if any(_names_thing(said.thing, text, found.name) for text in line.earlier) else found


def may_mean_either(line: Line, index: NameIndex, evidence: Evidence) -> bool:
    """Tell whether a statement begins with a pronoun that may mean either of two people, or somebody without a name."""
    if not any(one.begins.match(line.text) for one in _pronouns()):
        return False
    people = _people_before(line, index, evidence)
    return len(people) > 1 or any(not one.name for one in people)


def _people_before(line: Line, index: NameIndex, evidence: Evidence) -> list[Antecedent]:
    """Return the people who are spoken of before a line, each once; those without a name are somebody each."""
    if line.is_agent:
        return []
    near = line.earlier if line.speaker else line.earlier[-_NEAR:]
    named = [_people_in(text, index, evidence) for text in near]
    if not line.speaker:
        named = next(([_apart(people)] for people in reversed(named) if people), [])
    people = {
        one.path or name_key(one.name) or str((number, place)): one
        for number, some in enumerate(named)
        for place, one in enumerate(some)
    }
    return list(people.values())


def may_mean_a_thing(line: Line) -> bool:
    """Tell whether a statement of a conversation begins with a pronoun that means a person or a thing: "Elle coûte"."""
    if not line.speaker:
        return False
    said = next((one for one in _pronouns() if one.begins.match(line.text)), None)
    return said is not None and said.thing is not None


def _tells_of_people(said: _Pronouns, text: str) -> bool:
    begins = said.begins.match(text)
    return begins is not None and said.does.match(text[begins.end() :].lstrip()) is not None


def _names_thing(thing: re.Pattern[str], text: str, name: str) -> bool:
    """Tell whether what was said before names a thing; who somebody is, is none."""
    if plays_role(text, name) and expression("lines", "is_somebody", r"(?i:\s?(?:%s))").match(text, len(name)):
        return False
    return any(found["noun"].casefold() not in roles() for found in thing.finditer(text))


def _people_in(text: str, index: NameIndex, evidence: Evidence) -> list[Antecedent]:
    known = [one for one in index.find(text) if one.path.startswith(_PEOPLE)]
    found = [Antecedent(text[one.start : one.end], one.path) for one in known]
    for span in names_in(text):
        if any(one.start < span.end and span.start < one.end for one in known):
            continue
        if span.form == TITLED or (span.form == PROPER and _is_somebody(text, span.name, evidence)):
            found.append(Antecedent(span.name, index.find_path(span.name) or ""))
    return [*found, *_others_in(text, found, index, evidence)]


def _others_in(text: str, found: Sequence[Antecedent], index: NameIndex, evidence: Evidence) -> Iterator[Antecedent]:
    """Yield who else may be meant: "Bob's mate" is two people, whatever they are called, as is who has a surname."""
    names = " ".join(one.name for one in found)
    for one in relatives(text):
        if one.owner and one.owner not in names:
            yield Antecedent(one.owner, index.find_path(one.owner) or "")
        behind = text[one.end :].lstrip(" ,—–-(")
        if not any(behind.startswith(other.name) for other in found):
            yield Antecedent("", "")
    for span in names_in(text):
        is_new = span.name not in names and not any(one.name in span.name for one in found)
        if (
            is_new
            and _has_surname(text, span)
            and not (index.find(span.name) or evidence.is_company(name_key(span.name)))
        ):
            yield Antecedent("", "")


def _has_surname(text: str, span: NameSpan) -> bool:
    """Tell whether a name has the form of a first name and a surname within a sentence: "met Rhys Bowen"."""
    parts = span.name.split()
    is_whole = span.form == PROPER and len(parts) == _FULL_NAME and span.start > 0
    return (
        is_whole
        and all(part.isalpha() and not is_no_name(part) for part in parts)
        and not is_plain_noun(text, parts[1])
    )


def _apart(people: list[Antecedent]) -> list[Antecedent]:
    """Return people without those whose name is a part of another's: Anna beside Anna Petrova."""
    return [
        one
        for one in people
        if one.path or not any(one.name != other.name and one.name in other.name for other in people)
    ]


def _is_somebody(text: str, name: str, evidence: Evidence) -> bool:
    if is_no_name(name):  # "I asked": only people ask, and a pronoun names none
        return False
    key = name_key(name)
    if evidence.is_introduced(key):
        return True
    is_one = is_person(text, name) or (evidence.recurs(key) and evidence.is_person_somewhere(key))
    return is_one and not is_plain_noun(text, name) and not evidence.is_company(key)


@functools.cache
def _pronouns() -> tuple[_Pronouns, ...]:
    return tuple(
        _Pronouns(
            kept(rf"\W{{0,4}}(?:{data['person_pronoun']}|{data.get('person_possessive', NOTHING)})", re.IGNORECASE),
            kept(rf"(?<!\w)(?:{data['thing']})", re.IGNORECASE) if "thing" in data else None,
            kept(data.get("person_does", NOTHING), re.IGNORECASE),
        )
        for data in read_languages("lines").values()
        if "person_pronoun" in data
    )
