"""How many tokens a text has, near enough, without a vocabulary: for recall, whose process has no time to load one.

A tokenizer of today's models first cuts a text into pieces (words with the sign before them, digits by threes, marks,
white space) and then each piece into tokens. The first step is done here as the o200k vocabulary prescribes it (Unicode
categories simplified); in the place of the second stand the mean numbers of tokens, by script and length of a piece,
that this vocabulary needs on manual pages, program messages and Python's library. `scripts/bench tokens` prints how far
that is off on other text. Where a whole block is made for an agent, `base.tokens.vocabulary` counts.
"""

import functools
import re
from typing import Final

# Mean tokens of a piece of 1, 2, ... characters; a longer one has as many more as the last step of its row says.
_SPACED: Final = (1.0, 1.0, 1.01, 1.02, 1.05, 1.07, 1.07, 1.11, 1.14, 1.29, 1.4, 1.5, 1.6, 2.0, 2.8, 3.2)
_SPACED_TITLE: Final = (1.0, 1.03, 1.01, 1.04, 1.11, 1.11, 1.15, 1.23, 1.35, 1.4, 1.45, 1.5, 1.6, 2.0, 3.3, 4.2)
_SPACED_UPPER: Final = (1.0, 1.01, 1.16, 1.22, 1.4, 1.42, 1.5, 1.85, 1.9, 2.0, 2.18, 2.6, 3.0, 3.5, 4.5, 5.5)
_BARE: Final = (1.02, 1.11, 1.17, 1.23, 1.29, 1.36, 1.49, 1.77, 1.87, 2.14, 2.52, 2.65, 2.75, 2.95, 3.5, 3.75)
_BARE_TITLE: Final = (1.03, 1.08, 1.19, 1.28, 1.3, 1.37, 1.38, 1.4, 1.5, 1.55, 1.6, 1.9, 2.1, 2.7, 4.0, 4.7)
_BARE_UPPER: Final = (1.0, 1.21, 1.4, 1.41, 1.69, 1.9, 2.0, 2.4, 2.45, 2.8, 3.0, 3.4, 3.5, 3.7, 4.2, 5.0)
_ACCENTED: Final = (1.03, 1.28, 1.29, 1.41, 1.81, 2.5, 2.9, 3.2, 3.5, 3.6, 3.9, 4.1, 4.5, 4.7, 5.0, 6.4)
_CYRILLIC: Final = (1.02, 1.04, 1.17, 1.42, 1.72, 1.79, 2.07, 2.35, 2.55, 2.65, 2.85, 2.95, 3.35, 3.55, 3.65, 4.1)
_HANGUL: Final = (1.25, 1.61, 2.35, 2.65, 3.2, 3.55, 4.05, 4.75, 5.0)
_OTHER: Final = (1.01, 1.15, 1.46, 1.89, 2.32, 2.81, 3.16, 3.53, 3.77, 4.15, 4.38, 4.81, 5.2, 5.4, 5.7, 7.0)
_SAME_MARKS: Final = (1.01, 1.01, 1.1, 1.11, 1.6, 1.7, 1.7, 1.7, 1.7, 1.7, 1.8, 2.2)
_MARKS: Final = (1.0, 1.09, 1.54, 2.08, 2.6, 3.0, 3.6, 4.3, 4.6, 5.2, 5.5, 6.0)
_HAN, _KANA, _RUN = 0.73, 0.65, 0.06  # tokens of one such character, and of a run besides
_LATIN_END, _CYRILLIC_BEGIN, _CYRILLIC_END = "\u0250", "\u0400", "\u0530"

_FULL_MARK = 0.8  # tokens of a mark before a run of Han or kana; elsewhere it belongs to the word behind it

_PIECES = re.compile(
    r"(?:[^\r\n\w]|_)?(?:[A-Z]*[a-z]+|[A-Z]+)(?![^\W\d_])(?:'(?:s|t|re|ve|m|ll|d)\b)?"  # a word
    r"|(?:[A-Z]*[a-z]+|[A-Z]+)(?=[A-Z])"  # a part of one such as camelCase
    r"|(?:[^\r\n\w]|_)?[^\W\d_]+"  # letters of any script
    r"|\d{1,3}"
    r"| ?(?:[^\s\w]|_)+[\r\n/]*"  # marks
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads for this text, at least 1. Linear in its length."""
    return max(1, round(sum(map(_tokens_of, _PIECES.findall(text)))))


@functools.lru_cache(maxsize=32_768)
def _tokens_of(piece: str) -> float:
    """Return the tokens of one piece; words come again, so that most are looked up."""
    word = piece if piece[0].isalpha() else piece[1:]
    if word and word[0].isalpha():
        return _latin(piece) if word.isascii() else _letters(piece)
    core = piece.strip(" \r\n")
    if not core or piece.isdecimal() or piece.isspace():
        return 1.0
    return _at(_SAME_MARKS if len(set(core)) == 1 else _MARKS, len(core))


def _latin(piece: str) -> float:
    spaced = piece[0] == " "
    word = (piece if piece[0].isalpha() else piece[1:]).partition("'")[0]
    if word.islower():
        return _at(_SPACED if spaced else _BARE, len(word))
    if len(word) > 1 and word.isupper():
        return _at(_SPACED_UPPER if spaced else _BARE_UPPER, len(word))
    return _at(_SPACED_TITLE if spaced else _BARE_TITLE, len(word))


def _letters(piece: str) -> float:
    word = piece if piece[0].isalpha() else piece[1:]
    sign = word[len(word) // 2]
    if _is_han(sign) or _is_kana(sign):
        han = sum(map(_is_han, word))
        mark = 0.0 if word is piece or piece[0] == " " else _FULL_MARK
        return _HAN * han + _KANA * (len(word) - han) + _RUN + mark
    if sign < _LATIN_END or "\u1e00" <= sign < "\u1f00":
        return _at(_ACCENTED, len(word))
    if _CYRILLIC_BEGIN <= sign < _CYRILLIC_END:
        return _at(_CYRILLIC, len(word))
    return _at(_HANGUL if "\uac00" <= sign < "\ud7b0" else _OTHER, len(word))


def _at(row: tuple[float, ...], length: int) -> float:
    beyond = length - len(row)
    return row[length - 1] if beyond <= 0 else row[-1] + beyond * (row[-1] - row[0]) / len(row)


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign < "\ua000" or "\u3400" <= sign < "\u4dc0" or "\uf900" <= sign < "\ufb00"


def _is_kana(sign: str) -> bool:
    return "\u3040" <= sign < "\u3100"
