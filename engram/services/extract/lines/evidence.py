"""How often names stand in what is read together, and what else it says of them: whom it introduces, what is small."""

import functools
import math
import re
from collections import Counter
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engram.base.text import slugify
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.names.named_by_role import named_by_role
from engram.language.names.new_entities import names_within
from engram.language.names.organisations import organisations
from engram.language.names.persons import introductions
from engram.language.names.persons import plays_role
from engram.language.names.spans import PROPER
from engram.language.names.spans import NameSpan
from engram.language.names.spans import find_names
from engram.language.names.spans import heading_topics
from engram.language.names.spans import module_names
from engram.language.names.spans import repository_names
from engram.services.extract.lines.recurring_names import RecurringNames

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
        self._recurring = RecurringNames()

    def add(self, text: str, headings: tuple[str, ...]) -> None:
        """Count one entry."""
        for name in repository_names(text):
            for depth in range(1, len(headings) + 1):
                self._repositories[headings[:depth]].add(name)
        self._modules.update(map(name_key, module_names(text)))
        names = names_in(text)
        is_within = any(one.form == PROPER and one.start for one in names)  # nobody is introduced by the first word
        introduced = introductions(text) if is_within else frozenset[int]()
        self._companies.update(map(name_key, organisations(text)))
        self._people.update(
            name_key(one.name)
            for place, one in enumerate(names)
            if one.form == PROPER and (one.start in introduced or (not place and plays_role(text, one.name)))
        )
        self._people.update(map(name_key, named_by_role(text)))
        self._entries.update({name_key(span.name) for span in names})
        proper = {name_key(span.name): span.name for span in names if span.form == PROPER}
        self._recurring.add(text, proper, set(map(name_key, names_within(text))))
        self._small.update(set(filter(str.islower, _WORD.findall(text))))
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

    def recurs(self, key: str) -> bool:
        """Tell whether three entries or more name it, two of them within a sentence; of a person one is enough."""
        within = self._recurring.within(key) if self.is_named_often(key) else 0
        return within >= _TWICE or (within > 0 and self.is_person_somewhere(key))

    def is_person_somewhere(self, key: str) -> bool:
        """Tell whether some entry tells that a name is a person's, and none that it is a company's."""
        return key not in self._companies and self._recurring.is_person(key)

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
