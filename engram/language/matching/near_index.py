"""Which of many patterns a text can match, by the words near them: looked up plainly first, then by an automaton."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.language.matching.token_index import NearWords

INDEXED_AFTER = 20_000  # characters read: a process that reads one message is quicker without an automaton


class NearIndex:
    """The words near many patterns; nothing that can match is left out."""

    def __init__(self, near: Sequence[Sequence[str]]) -> None:
        """Take the words near each pattern; one without any is near everywhere."""
        self._near = near
        self._read = 0  # characters, until there is an automaton
        self._automaton: NearWords | None = None

    def places_in(self, text: str) -> list[int]:
        """Return the places of the patterns that a text can match, in order."""
        if self._automaton is None:
            self._read += len(text)
            if self._read < INDEXED_AFTER:
                return [place for place, words in enumerate(self._near) if _stands_one(words, text)]
            self._automaton = self._build()
        return self._automaton.find_in(text)

    def _build(self) -> "NearWords":
        return index_near([[frozenset(words)] if words else [] for words in self._near])


def index_near(parts: Sequence[Sequence[frozenset[str]]]) -> "NearWords":
    """Return what finds the parts that a text can match, by sets of words of which each must have one in it."""
    from engram.language.matching.token_index import NearWords  # noqa: PLC0415 - a hook reads too little to come here

    return NearWords(parts)


def _stands_one(words: Sequence[str], text: str) -> bool:
    for word in words:  # a plain loop, quicker than any()
        if word in text:
            return True
    return not words
