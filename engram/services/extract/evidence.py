"""How often names stand in what is read together: a name that comes again is somebody or something."""

import functools
import math
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Final

from engram.base.text import slugify
from engram.language.names.spans import NameSpan
from engram.language.names.spans import find_names
from engram.language.names.spans import heading_topics
from engram.language.names.spans import module_names

_OFTEN: Final = 3  # entries
# Names and texts: headings stand above many lines, and a line is read again as the one before.
_REMEMBERED: Final = 4096


class Evidence:
    """How often names stand in the entries that are read: a name that comes again is somebody or something."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._entries: Counter[str] = Counter()
        self._headings: Counter[str] = Counter()
        self._modules: set[str] = set()

    def add(self, text: str, headings: Iterable[str]) -> None:
        """Count one entry."""
        self._modules.update(map(name_key, module_names(text)))
        self._entries.update({name_key(span.name) for span in names_in(text)})
        self._headings.update({name_key(topic) for heading in headings for topic in heading_topics(heading)})

    def is_often(self, key: str) -> bool:
        """Tell whether a name stands in three entries or more."""
        return self._entries[key] + self._headings[key] >= _OFTEN

    def is_module(self, key: str) -> bool:
        """Tell whether a name is also that of a file with source code: FeedStore beside feed-store.ts."""
        return key in self._modules

    def features(self, key: str) -> Iterator[tuple[str, float]]:
        """Yield what the counts say of a name."""
        entries, headings = self._entries[key], self._headings[key]
        yield "entries", math.log1p(entries) / 3
        yield "headings", math.log1p(headings) / 3
        yield "once", float(entries + headings <= 1)


@functools.lru_cache(maxsize=_REMEMBERED)
def name_key(name: str) -> str:
    """Return the form under which spellings of a name are one: EvoMap, Evo Map, evo-map."""
    return slugify(name).replace("-", "")


@functools.lru_cache(maxsize=_REMEMBERED)
def names_in(text: str) -> tuple[NameSpan, ...]:
    """Return what may be names in a text, in order; see `find_names`."""
    return tuple(find_names(text))
