"""The words of two statements as something can be learned of them: "now" in the newer one, "was" in the older. Pure.

Which words tell of a change differs by language, and no list of them is ever whole. So each word counts by itself,
with its neighbour, and by whether the newer statement alone has it, the older one alone, or both. In Chinese and
Japanese every sign counts, pairs of signs, and the sign at the end of a clause; in Korean what words are made of.
"""

import math
from collections.abc import Iterator
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.compare.updates.likely_statement import MAX_CHARS
from engram.language.matching.kept_expressions import kept

NEWER: Final = "n:"
OLDER: Final = "o:"
BOTH: Final = "s:"

_END: Final = "$"
_NUMBER: Final = "#"
_MARKS: Final = frozenset(".!?,;:。，！？；")
_HAN: Final = "\u3040-\u30ff\u3400-\u9fff"
_HANGUL: Final = "\uac00-\ud7a3"
_PIECE: Final = kept(
    rf"(?P<word>[^\W\d_{_HAN}{_HANGUL}]{{1,60}}(?:'[^\W\d_]{{1,20}})?)|(?P<han>[{_HAN}]{{1,60}})"
    rf"|(?P<hangul>[{_HANGUL}]{{1,60}})|(?P<number>\d[\d.,:]{{0,30}})|(?P<mark>[{''.join(sorted(_MARKS))}])"
)


@lru_cache(maxsize=8192)  # a statement is compared with many
def list_words(text: str) -> tuple[str, ...]:
    """Return the words and parts of words of a statement, once each."""
    found = [(str(match.lastgroup), match.group()) for match in _PIECE.finditer(fold(text[:MAX_CHARS]))]
    return tuple(dict.fromkeys(_words(found)))


def _words(found: list[tuple[str, str]]) -> Iterator[str]:
    for (before, previous), (kind, piece), (behind, _) in zip(
        [("mark", ""), *found], found, [*found[1:], ("mark", "")], strict=False
    ):
        if kind == "han":
            yield from (*piece, *map("".join, pairwise(piece)))
            if behind == "mark":
                yield piece[-1] + _END
        elif kind == "hangul":
            ended = piece + _END
            yield from (ended[at : at + size] for size in (2, 3) for at in range(len(ended) - size + 1))
            if len(piece) == 1:
                yield piece
        elif kind == "number":
            yield _NUMBER
        elif kind == "word":
            yield stem(piece)
            if before in {"word", "number"}:
                yield f"{_NUMBER if before == 'number' else previous} {piece}"


def list_pair_words(new: str, old: str) -> list[str]:
    """Return the words of two statements, each marked by which of them has it."""
    newer, older = list_words(new), list_words(old)
    mine, theirs = set(newer), set(older)
    marked = [(BOTH if word in theirs else NEWER) + word for word in newer]
    return marked + [OLDER + word for word in older if word not in mine]


class TellingWords:
    """What was learned of words, and of each statement what its words would tell if the other one had none of them."""

    def __init__(self, learned: Mapping[str, float]) -> None:
        """Take the weight of each marked word."""
        self._newer, self._older, self._both = (_marked(learned, mark) for mark in (NEWER, OLDER, BOTH))
        self._known = self._newer.keys() | self._older.keys() | self._both.keys()
        self._of: dict[str, tuple[frozenset[str], float, float]] = {}

    def score(self, new: str, old: str) -> float:
        """Return what the words of two statements tell, added up."""
        mine, as_newer, _ = self._read(new)
        theirs, _, as_older = self._read(old)
        return as_newer + as_older + math.fsum(map(self._if_shared, mine & theirs))

    def _if_shared(self, word: str) -> float:
        return self._both.get(word, 0.0) - self._newer.get(word, 0.0) - self._older.get(word, 0.0)

    def _read(self, text: str) -> tuple[frozenset[str], float, float]:
        """Return the words of which something is known, and what they tell in a newer and in an older statement."""
        if text not in self._of:
            words = self._known.intersection(list_words(text))
            as_newer = math.fsum(self._newer.get(word, 0.0) for word in words)
            as_older = math.fsum(self._older.get(word, 0.0) for word in words)
            self._of[text] = (frozenset(words), as_newer, as_older)
        return self._of[text]


def _marked(learned: Mapping[str, float], mark: str) -> dict[str, float]:
    return {word.removeprefix(mark): weight for word, weight in learned.items() if word.startswith(mark)}
