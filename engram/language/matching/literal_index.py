"""Literal texts looked for in many texts at once, by the words that hold them."""

from collections.abc import Iterable
from itertools import chain
from operator import add

IN_WORD = r"\w{3,}|[^\W\x00-\x7f]\w"  # what is looked for in words: what is shorter stands in too many
_MOST_WORDS = 40_000  # words of which it is remembered what they hold
_LONGEST_WORD = 24  # characters; what is longer hardly comes again


class Literals(dict[str, tuple[str, ...]]):
    """Which of the literal texts that are looked for each word holds; remembered when it is first met.

    Only short words of letters are remembered: what else stands in a text may be a secret.
    """

    def __init__(self) -> None:
        """Begin without any."""
        super().__init__()
        self._by_start: dict[str, set[str]] = {}
        self._has_numbers = False

    def add(self, literals: Iterable[str]) -> None:
        """Look for these as well from now on."""
        self.clear()
        for literal in literals:
            self._by_start.setdefault(literal[:2], set()).add(literal)
            self._has_numbers = self._has_numbers or literal.isdecimal()

    def held_by(self, words: Iterable[str]) -> set[str]:
        """Return the literals that stand in one of the words."""
        return set(chain.from_iterable(map(self.__getitem__, words)))

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word.isdecimal() and not self._has_numbers:
            return ()
        # each start once, so that a word of any length takes linear time
        starts = self._by_start.keys() & set(map(add, word, word[1:]))
        found = tuple([one for start in starts for one in self._by_start[start] if one in word])
        if word.isalpha() and len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found
