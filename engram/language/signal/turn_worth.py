"""How much a turn of a conversation is worth keeping, by what it tells: new words, names, times, and who it is about.

This ranks turns, where the signal detector grades statements: a turn can be worth keeping without a preference or a
decision in it ("I went to Riga with my sister last week"), and one without either can be chatter of any length.
"""

import math
import unicodedata
from collections.abc import Collection
from functools import cache
from itertools import groupby
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_kind
from engram.language.matching.language_files import read_languages
from engram.language.matching.prefilter import compiled

_KIND = "worth"
_WORD = r"\w+(?:'\w+)*"
_SENTENCE = r"[^.!?。\n]+[.!?。]*"
_INNER_WORD = r"(?<=\w )\w[\w-]+"  # not behind a comma: there stands who is spoken to
_SHORTEST_WORD = 4  # letters of a word that says something by itself: shorter ones bind words together
_SHORTEST_KOREAN = 2  # syllables, particle included
_HAN_WEIGHT = 3.0  # letters of an alphabet that a Chinese character stands for
_HANGUL_WEIGHT = 2.0  # the same for a Korean syllable
_PAIRS_A_WORD = 2.0  # pairs of Chinese characters, each overlapping the next, that stand for one word


class Counts(NamedTuple):
    """What is counted in a turn, each as log1p of the count but for the share."""

    said: float  # letters of sentences that are no questions
    new: float  # words that did not come before
    names: float  # capitalised words within a sentence that did not come before
    time: float  # words of time
    speaker: float  # words for whoever speaks, outside of questions
    listener: float  # words for whoever is spoken to
    reacting: float  # share of words that only answer: thanks, wow, sure


class _Words(NamedTuple):
    whole: dict[str, frozenset[str]]  # class -> words found as whole words
    within: dict[str, str]  # class -> expression of words found anywhere, for scripts without spaces


def worth(text: str, seen: Collection[str] | None = None) -> float:
    """Return how much a turn is worth keeping, 0 to 1: the chance that a later question is answered from it.

    `seen` holds the words (see `telling_words`) of the turns before it in the conversation, with which it is ranked
    better; without it the turn is taken alone. The two give different scales: compare like with like.
    """
    counts = count(text, seen or ())
    weights: dict[str, float] = _data()["alone" if seen is None else "within"]
    return 1 / (1 + math.exp(-weights["bias"] - sum(weights[name] * value for name, value in counts._asdict().items())))


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that say something by themselves, folded; of Chinese, the pairs of characters."""
    return _telling(_tokens(_folded(text)))


def count(text: str, seen: Collection[str]) -> Counts:
    """Return what is counted in a turn that follows turns with these words."""
    folded = _folded(text)
    sentences = compiled(_SENTENCE).findall(folded)
    told = " ".join(sentence for sentence in sentences if not sentence.rstrip().endswith("?"))
    tokens = _tokens(folded)
    new = [word for word in _telling(tokens) if word not in seen]
    names = {word.casefold() for word in compiled(_INNER_WORD).findall(text) if word[0].isupper()}
    return Counts(
        said=math.log1p(_length(told)),
        new=math.log1p(sum(1 / _PAIRS_A_WORD if _is_han(word) else 1 for word in new)),
        names=math.log1p(sum(name not in seen for name in names)),
        time=math.log1p(_count("time", tokens, folded)),
        speaker=math.log1p(_count("speaker", tokens if told == folded else _tokens(told), told)),
        listener=math.log1p(_count("listener", tokens, folded)),
        reacting=_count("reaction", tokens, folded) / max(1, len(tokens)),
    )


def _telling(tokens: list[str]) -> frozenset[str]:
    reactions = _words().whole["reaction"]
    return frozenset(word for word in tokens if _tells(word) and word not in reactions)


@cache
def _words() -> _Words:
    languages = read_languages(_KIND).values()
    lists = {kind: [word for one in languages for word in one[kind].split()] for kind in next(iter(languages))}
    return _Words(
        whole={kind: frozenset(word for word in words if not _is_han(word)) for kind, words in lists.items()},
        within={kind: "|".join(word for word in words if _is_han(word)) for kind, words in lists.items()},
    )


@cache
def _data() -> Table:
    return read_kind(_KIND)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'").casefold()


def _tokens(folded: str) -> list[str]:
    """Return the words in order; of a Chinese run, its overlapping pairs of characters."""
    words = compiled(_WORD).findall(folded)
    return words if folded.isascii() else [token for word in words for token in _pieces(word)]


def _pieces(word: str) -> list[str]:
    """Return the words of a piece without spaces: Chinese is written so, with foreign words between."""
    found: list[str] = []
    for east, run in groupby(word, _is_han):
        piece = "".join(run)
        long = east and len(piece) > 2
        found += [piece[place : place + 2] for place in range(len(piece) - 1)] if long else [piece]
    return found


def _tells(word: str) -> bool:
    if _is_han(word):
        return len(word) > 1
    return len(word) >= (_SHORTEST_KOREAN if _is_hangul(word) else _SHORTEST_WORD)


def _count(kind: str, tokens: list[str], folded: str) -> int:
    found = sum(map(_words().whole[kind].__contains__, tokens))
    return found if folded.isascii() else found + len(compiled(_words().within[kind]).findall(folded))


def _length(text: str) -> float:
    """Return the length in letters of an alphabet."""
    if text.isascii():
        return len(text)
    han, hangul = sum(map(_is_han, text)), sum(map(_is_hangul, text))
    return len(text) + (_HAN_WEIGHT - 1) * han + (_HANGUL_WEIGHT - 1) * hangul


def _is_han(word: str) -> bool:
    return "\u3005" <= word[0] <= "\u9fff"


def _is_hangul(word: str) -> bool:
    return "\uac00" <= word[0] <= "\ud7a3"
