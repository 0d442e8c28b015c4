"""Which names are clear enough to be somebody or something that no entity stands for yet. Pure."""

import re
from collections.abc import Mapping
from typing import Final

from engram.language.compare.slots.slots import is_of_a_thing
from engram.language.matching.patterns import expression
from engram.language.names.named_by_role import named_by_role
from engram.language.names.new_entities import is_no_name
from engram.language.names.nouns import is_plain_noun
from engram.language.names.organisations import is_legal_form
from engram.language.names.persons import is_person
from engram.language.names.persons import plays_role
from engram.language.names.spans import ACRONYM
from engram.language.names.spans import CODE
from engram.language.names.spans import DOMAIN
from engram.language.names.spans import KEBAB
from engram.language.names.spans import MIXED
from engram.language.names.spans import PROPER
from engram.language.names.spans import TITLED
from engram.language.names.spans import is_file
from engram.language.names.spans import is_system
from engram.language.signal.detector import HIGH
from engram.language.text.note_sections import section_category
from engram.model.vocabulary import Category
from engram.services.extract.lines.evidence import HOME
from engram.services.extract.lines.evidence import OWNER
from engram.services.extract.lines.evidence import REPOSITORY
from engram.services.extract.lines.evidence import SPEAKER
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import before_name
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.evidence import names_in
from engram.services.extract.lines.line import Line

_SIGNS_AROUND: Final = re.compile(r"^[\W_]+|[\W_]+$")  # "Fix <", "COMPLETE ✅"
_ACRONYMS: Final = re.compile("[A-Z]{2,}s")  # more than one of something: DBs, PRs
_MOST_OF_IT: Final = 3 / 4  # of a heading
_WRITTEN_AS_NAMES: Final = frozenset({ACRONYM, CODE, KEBAB, MIXED})
_EARLY = 2 / 12  # of the feature "late": at most two words before a name


def is_clear(line: Line, name: str, origin: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    """Tell whether an unknown name is somebody or something by its form: capitals alone are not enough.

    Measured on marked notes: a capitalised word that is not known is whom the line is about in 3 of 100, one that does
    what people do in 79, a name with a hyphen at the beginning in 81, one with capitals inside that comes again in 76,
    and one in capitals or in code that the heading names, too, in 84 when it comes early. A capitalised one that begins
    the line and stands in two more, one time within a sentence, was right in 48 of 55, its agent in 32.
    """
    if origin in {HOME, OWNER, REPOSITORY, SPEAKER}:
        return True
    match origin:  # what costs least is looked at first, and all but a few names end here
        case "heading":
            return _is_clear_topic(name, form, own, evidence) and not _is_nobody(line, name, form, evidence)
        case "row":
            key = name_key(name)
            again = evidence.is_often(key) or (bool(own.get("in both")) and evidence.is_named_twice(key))
            return form == "cell" and again and not _is_nobody(line, name, form, evidence)
        case "text" if not _is_nobody(line, name, form, evidence):
            is_again = _is_of_both(form, own) or _comes_again(name, form, own, evidence)
            return is_again or _is_clear_subject(line, name, form, own, evidence)
        case _:
            return False


def _is_nobody(line: Line, name: str, form: str, evidence: Evidence) -> bool:
    """Tell whether a name is a common word, a file, a part of a program, or more than one of something."""
    bare = _SIGNS_AROUND.sub("", name)
    if (
        is_no_name(bare)
        or is_legal_form(bare)
        or is_file(name)
        or _ACRONYMS.fullmatch(name)
        or _is_of_a_program(name, form, evidence)
    ):
        return True
    if form == PROPER and is_plain_noun(line.text, bare):  # in German every noun has a capital
        return not evidence.is_introduced(name_key(name))
    return evidence.is_written_small(bare) and not is_person(line.text, name)  # Rose has a word's name


def _has_attribute(line: Line, name: str, own: Mapping[str, float]) -> bool:
    """Tell whether somebody says, outside of any project, what only things have: "The limit of Atlas is 150"."""
    is_talk = bool(line.speaker) and not line.home
    return is_talk and bool(own.get("property")) and is_of_a_thing(line.text, name)


def _is_somebody(text: str, name: str, evidence: Evidence) -> bool:
    """Tell whether a name is a person's, by its own sentence or by another entry, and no company's."""
    key = name_key(name)
    return evidence.is_introduced(key) or (is_person(text, name) and not evidence.is_company(key))


def _is_object_of_ours(line: Line, own: Mapping[str, float]) -> bool:
    """Tell whether what a name stands for is what is done something to, outside of any project: not what is used."""
    if line.home or line.is_agent or (line.speaker and not _begins_with_we(line)):
        return False
    return bool(own.get("purpose")) or not (own.get("used") or own.keys() & before_name("prepositions"))


def _begins_with_we(line: Line) -> bool:
    return expression("lines", "plural", r"\W{0,4}(?:%s)").match(line.text) is not None


def _is_of_a_program(name: str, form: str, evidence: Evidence) -> bool:
    return form == MIXED and evidence.is_module(name_key(name))


def _is_clear_topic(name: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    """Tell the same of a name in a heading: of several words it needs to be named below, too, as far out as it may be.

    Measured on marked notes: what stands in quotation marks is right in 64 of 100, a site's name in 92, several
    capitalised words of the innermost heading in 61 to 100 when two lines name them, and in 14 when none does.
    """
    return _is_clear_in_heading(name, form, own, evidence) and not section_category((name,))  # "Key insights"


def _is_clear_in_heading(name: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    key = name_key(name)
    match form:
        case "quoted" | "domain":  # words in small letters are an error's or a speaker's: "require is not defined"
            return not (name[0].islower() and " " in name)
        case "kebab" | "mixed" if own.get("share", 0.0) >= _MOST_OF_IT:  # "### tide-reader", "### TideReader"
            return True
        case "kebab" | "mixed":  # "box-drawn" of two parts is an adjective more often than a name
            return name.count("-") > 1 or evidence.is_named_twice(key)
        case "proper" | "topic":
            return " " in name and bool(own.get("innermost")) and evidence.is_named_twice(key)
        case _:
            return False


def _comes_again(name: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    """Tell whether a name that other entries say, too, begins a line, or stands so near that it may be its subject.

    Measured on marked notes: by a hyphen or as code after a word or two, it was whom the line is about in 7 of 9, its
    agent in 2; where the heading names it, too, at the beginning in 4 of 4. Capitals alone (CLI, DNS) are no such name.
    """
    key = name_key(name)
    if form == ACRONYM:
        return False
    if own.get("in both"):
        return bool(own.get("begins")) and evidence.is_named_often(key)
    if own.get("late", 1.0) > _EARLY:
        return False
    return (form == KEBAB and evidence.is_named_twice(key)) or (form == CODE and evidence.is_named_often(key))


def _is_of_both(form: str, own: Mapping[str, float]) -> bool:
    """Tell whether a name is that of the section and of the line, and more than a capital makes it a name."""
    return bool(own.get("in both")) and own.get("late", 1.0) <= _EARLY and form in _WRITTEN_AS_NAMES


def _recurs(line: Line, name: str, evidence: Evidence) -> bool:
    """Tell whether a note names it again and again, and here as no part of a longer name: "GitHub Pages", "Room 9"."""
    if line.speaker or not evidence.recurs(name_key(name)):
        return False
    is_numbered = f"{name} " in line.text and re.search(rf"{re.escape(name)} \d", line.text) is not None
    return not _is_part(line, name) and not is_numbered


def _is_part(line: Line, name: str) -> bool:
    """Tell whether a name stands in a line as a part of a longer one: Pro of "PowerSoil Pro"."""
    return any(name in one.name.split() for one in names_in(line.text) if one.form == PROPER and one.name != name)


def _begins_clause(line: Line, name: str) -> bool:
    """Tell whether a comma or the like stands right before a name, so that it is the object of no verb."""
    return line.text[: max(0, line.text.find(name))].rstrip().endswith((",", ";", ":", "，", "；", "："))


def _is_counted(line: Line, name: str) -> bool:
    """Tell whether a line says how many there are of what a name stands for: "2 PowerSoil Pro kits"."""
    before = line.text[: max(0, line.text.find(name))].split()
    counts = expression("names", "people_counts", r"(?i:\d{1,3}|%s)")
    return bool(before) and counts.fullmatch(before[-1]) is not None


def _is_one(line: Line, name: str, evidence: Evidence, *, early: bool) -> bool:
    """Tell whether a capitalised name is somebody's, or comes again and stands early."""
    return _is_somebody(line.text, name, evidence) or (early and _recurs(line, name, evidence))


def _is_clear_subject(line: Line, name: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    begins, early = bool(own.get("begins")), own.get("late", 1.0) <= _EARLY
    key = name_key(name)
    match form:
        case "domain" | "defined":  # "Lantern is a web shop" in a note may mean its agent's work
            return begins and (not line.speaker if form == DOMAIN else bool(line.speaker) and not line.is_agent)
        case "kebab" | "mixed":
            return begins if form == KEBAB else evidence.is_often(key) and early
        case "phrase":
            is_somebody = begins and plays_role(line.text, name)  # 路易斯是我们的新会计
            is_order = line.grade == HIGH and line.signals[:1] == (Category.INSTRUCTION.value,)
            is_thing = not line.home and early and not is_order
            # "The first day is ..." names nothing: a thing that has no name of its own comes again.
            is_likely = evidence.is_often(key) or evidence.is_named_twice(key) or is_person(line.text, name)
            return is_somebody or (is_thing and is_likely) or is_system(name)
        case "titled" | "proper" if form == TITLED or _is_one(line, name, evidence, early=early):
            return early or bool(named_by_role(line.text).get(name))
        case "proper":  # "we took Lantern off Mongo", where no project is known that it could be about instead
            is_own = not (begins or _is_part(line, name) or _is_counted(line, name) or _begins_clause(line, name))
            return is_own and (_is_object_of_ours(line, own) or _has_attribute(line, name, own))
        case _:
            return False
