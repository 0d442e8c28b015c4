"""Which of several expressions match somewhere in a text, where one expression for all languages is slow.

Such an expression is tried at every sign of a text, branch by branch. Here all words that a match must hold are looked
up in one pass, and only the branches are tried of which all stand there.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engram.language.matching.near_index import INDEXED_AFTER
from engram.language.matching.near_index import index_near
from engram.language.matching.prefilter import Alternatives
from engram.language.matching.prefilter import compiled

if TYPE_CHECKING:
    from engram.language.matching.token_index import NearWords

_MOST_JOINED = 40  # texts that are read off what stands side by side in an expression
# Letters that `re` takes for another one whose small form they do not have: ſ for s, ı for i. Few texts have one, and
# those are searched without a look at their words.
_ODD = "[\u00b5\u0130\u0131\u017f\u0345-\u03ff\u1c80-\u1c8f\u1d00-\u1fff\u2126\ua640-\ua66f\ufb00-\ufb06]"


class NearExpressions:
    """Expressions by name, with no flags in them; finds what each of them does, in any case where that is asked for."""

    def __init__(self, sources: Mapping[str, str], *, any_case: bool = False) -> None:
        """Take the expressions; they are taken apart when enough was read."""
        self._any_case = any_case
        self._sources = sources
        self._wholes = {name: self._written(source) for name, source in sources.items()}
        self._read = 0  # characters, until there is an index
        self._near: NearWords | None = None
        self._parts: list[tuple[str, str]] = []  # name and expression of each branch

    def found_in(self, text: str) -> list[str]:
        """Return the names of the expressions that match somewhere in a text, in the order in which they were given."""
        if self._near is None:
            self._read += len(text)
            if self._read < INDEXED_AFTER:
                return [name for name, whole in self._wholes.items() if compiled(whole).search(text)]
            self._near = self._index()
        if self._any_case and not text.isascii() and compiled(_ODD).search(text):
            return [name for name, whole in self._wholes.items() if compiled(whole).search(text)]
        found: dict[str, None] = {}
        for place in self._near.find_in(text.lower() if self._any_case else text):
            name, source = self._parts[place]
            if name not in found and compiled(source).search(text):
                found[name] = None
        return list(found)

    def _written(self, source: str) -> str:
        return f"(?i:{source})" if self._any_case else source

    def _index(self) -> "NearWords":
        parts = [(name, part) for name, source in self._sources.items() for part in Alternatives(source).parts]
        self._parts = [(name, self._written(part.source)) for name, part in parts]
        return index_near([[self._sought(words) for words in part.required(_MOST_JOINED)] for _, part in parts])

    def _sought(self, words: frozenset[str]) -> frozenset[str]:
        return frozenset(map(str.lower, words)) if self._any_case else words
