"""How often names stand in what is read together, and which of them are clear enough to be somebody or something."""

import functools
import math
import re
from collections import Counter
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Final

from engram.base.text import slugify
from engram.language.compare.slots.slots import is_of_a_thing
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import compiled
from engram.language.names.new_entities import is_no_name
from engram.language.names.nouns import is_plain_noun
from engram.language.names.organisations import organisations
from engram.language.names.persons import introductions
from engram.language.names.persons import is_person
from engram.language.names.persons import plays_role
from engram.language.names.spans import ACRONYM
from engram.language.names.spans import CODE
from engram.language.names.spans import DOMAIN
from engram.language.names.spans import KEBAB
from engram.language.names.spans import MIXED
from engram.language.names.spans import PROPER
from engram.language.names.spans import NameSpan
from engram.language.names.spans import find_names
from engram.language.names.spans import heading_topics
from engram.language.names.spans import is_file
from engram.language.names.spans import is_system
from engram.language.names.spans import module_names
from engram.language.names.spans import repository_names
from engram.language.signal.detector import HIGH
from engram.language.text.note_sections import section_category
from engram.model.vocabulary import Category
from engram.services.extract.lines.line import Line

TEXT: Final = "text"
HEADING: Final = "heading"
BEFORE: Final = "before"  # the line before
HOME: Final = "home"
SPEAKER: Final = "speaker"
ROW: Final = "row"  # the first cell of a table's row
REPOSITORY: Final = "repository"  # whose address stands in the same section
OWNER: Final = "owner"  # "the user prefers", "User profile": whoever owns the workspace

_OFTEN: Final = 3  # entries
_RARELY: Final = 5  # a name is written small at most once for so many times that it is written large
_WORD: Final = re.compile(r"(?<![\w`./@-])[^\W\d_]+(?![\w`/@])")
_TWICE: Final = 2
_SIGNS_AROUND: Final = re.compile(r"^[\W_]+|[\W_]+$")  # "Fix <", "COMPLETE ✅"
_ACRONYMS: Final = re.compile("[A-Z]{2,}s")  # more than one of something: DBs, PRs
_MOST_OF_IT: Final = 3 / 4  # of a heading
_WRITTEN_AS_NAMES: Final = frozenset({ACRONYM, CODE, KEBAB, MIXED})
_EARLY = 2 / 12  # of the feature "late": at most two words before a name
# Names and texts: headings stand above many lines, and a line is read again as the one before.
_REMEMBERED: Final = 4096


class Evidence:
    """How often names stand in the entries that are read: a name that comes again is somebody or something."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._entries: Counter[str] = Counter()
        self._headings: Counter[str] = Counter()
        self._modules: set[str] = set()
        self._people: set[str] = set()  # whom an entry introduces: "my sister Meera"
        self._companies: set[str] = set()  # of which an entry says that they are companies
        self._small: Counter[str] = Counter()  # entries in which a word is written small
        self._repositories: dict[tuple[str, ...], set[str]] = defaultdict(set)  # by the headings above them

    def add(self, text: str, headings: tuple[str, ...]) -> None:
        """Count one entry."""
        for name in repository_names(text):
            for depth in range(1, len(headings) + 1):
                self._repositories[headings[:depth]].add(name)
        self._modules.update(map(name_key, module_names(text)))
        names = names_in(text)
        introduced = introductions(text)
        self._companies.update(map(name_key, organisations(text)))
        self._people.update(
            name_key(one.name)
            for place, one in enumerate(names)
            if one.form == PROPER and (one.start in introduced or (not place and plays_role(text, one.name)))
        )
        self._entries.update({name_key(span.name) for span in names})
        self._small.update({word for word in _WORD.findall(text) if word.islower()})
        self._headings.update({name_key(topic) for heading in headings for topic in heading_topics(heading)})

    def is_often(self, key: str) -> bool:
        """Tell whether a name stands in three entries or more."""
        return self._entries[key] + self._headings[key] >= _OFTEN

    def is_named_twice(self, key: str) -> bool:
        """Tell whether two entries or more name it, whatever headings do."""
        return self._entries[key] >= _TWICE

    def is_named_often(self, key: str) -> bool:
        """Tell whether three entries or more name it, whatever headings do."""
        return self._entries[key] >= _OFTEN

    def repository_of(self, headings: tuple[str, ...]) -> tuple[str, int] | None:
        """Return the one repository whose address stands in the innermost section that holds any, and how far out.

        The title of a whole note is no section where there are others: a day's note names more than it is about.
        """
        for out in range(max(1, len(headings) - 1)):
            names = self._repositories.get(headings[: len(headings) - out], set())
            if names:
                return (min(names), out) if len({name_key(one) for one in names}) == 1 else None
        return None

    def is_introduced(self, key: str) -> bool:
        """Tell whether some entry says whose relation or colleague a name is, so that it is a person's everywhere."""
        return key in self._people and key not in self._companies

    def is_company(self, key: str) -> bool:
        """Tell whether some entry says that a name is a company's, so that it is nobody's."""
        return key in self._companies

    def is_module(self, key: str) -> bool:
        """Tell whether a name is also that of a file with source code: FeedStore beside feed-store.ts."""
        return key in self._modules

    def is_written_small(self, word: str) -> bool:
        """Tell whether a word that is written large is also written small, so that its capital means nothing."""
        key = word.casefold()
        return word[1:].islower() and self._small[key] * _RARELY > self._entries[name_key(word)]

    def features(self, key: str) -> Iterator[tuple[str, float]]:
        """Yield what the counts say of a name."""
        entries, headings = self._entries[key], self._headings[key]
        yield "entries", math.log1p(entries) / 3
        yield "headings", math.log1p(headings) / 3
        yield "once", float(entries + headings <= 1)


@functools.cache
def before_name(which: str) -> frozenset[str]:
    """Return features of the word before a name: that it is one of these, `prepositions` or `means`."""
    return frozenset(f"b {word}" for word in phrases(joined("lines", which)))


@functools.lru_cache(maxsize=_REMEMBERED)
def name_key(name: str) -> str:
    """Return the form under which spellings of a name are one: EvoMap, Evo Map, evo-map."""
    return slugify(name).replace("-", "")


@functools.lru_cache(maxsize=_REMEMBERED)
def names_in(text: str) -> tuple[NameSpan, ...]:
    """Return what may be names in a text, in order; see `find_names`."""
    return tuple(find_names(text))


def is_clear(line: Line, name: str, origin: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    """Tell whether an unknown name is somebody or something by its form: capitals alone are not enough.

    Measured on marked notes: a capitalised word that is not known is whom the line is about in 3 of 100, one that does
    what people do in 79, a name with a hyphen at the beginning in 81, one with capitals inside that comes again in 76,
    and one in capitals or in code that the heading names, too, in 84 when it comes early.
    """
    if origin in {HOME, OWNER, REPOSITORY, SPEAKER}:
        return True
    if _is_nobody(line, name, form, evidence):
        return False
    often = evidence.is_often(name_key(name))
    match origin:
        case "heading":
            return _is_clear_topic(name, form, own, evidence)
        case "row":
            return form == "cell" and (often or (bool(own.get("in both")) and evidence.is_named_twice(name_key(name))))
        case "text":
            is_again = _is_of_both(form, own) or _comes_again(name, form, own, evidence)
            somebody = _is_somebody(line.text, name, evidence)
            return is_again or _is_clear_subject(line, name, form, own, evidence, somebody=somebody)
        case _:
            return False


def _is_nobody(line: Line, name: str, form: str, evidence: Evidence) -> bool:
    """Tell whether a name is a common word, a file, a part of a program, or more than one of something."""
    bare = _SIGNS_AROUND.sub("", name)
    if is_no_name(bare) or is_file(name) or _ACRONYMS.fullmatch(name) or _is_of_a_program(name, form, evidence):
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
    return compiled(rf"\W{{0,4}}(?:{joined('lines', 'plural')})").match(line.text) is not None


def _is_of_a_program(name: str, form: str, evidence: Evidence) -> bool:
    return form == MIXED and evidence.is_module(name_key(name))


def _is_clear_topic(name: str, form: str, own: Mapping[str, float], evidence: Evidence) -> bool:
    """Tell the same of a name in a heading: of several words it needs to be named below, too, as far out as it may be.

    Measured on marked notes: what stands in quotation marks is right in 64 of 100, a site's name in 92, several
    capitalised words of the innermost heading in 61 to 100 when two lines name them, and in 14 when none does.
    """
    if section_category((name,)):  # "Key insights" says of what kind its lines are
        return False
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


def _is_clear_subject(
    line: Line, name: str, form: str, own: Mapping[str, float], evidence: Evidence, *, somebody: bool
) -> bool:
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
        case "titled" | "proper" if form == "titled" or somebody:
            return early
        case "proper":  # "we took Lantern off Mongo", where no project is known that it could be about instead
            return not begins and (_is_object_of_ours(line, own) or _has_attribute(line, name, own))
        case _:
            return False
