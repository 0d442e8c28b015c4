"""Disguises: what a model could make of a text through look-alike letters, gaps, digits for letters and mirrors.

Each reading costs a search, so that it is only made where the text holds evidence for it.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engram.language.matching.prefilter import compiled
from engram.language.screen.encodings import decoded
from engram.language.text.normal_forms import GAPLESS
from engram.language.text.normal_forms import STEM
from engram.language.text.normal_forms import Reading
from engram.language.text.normal_forms import Table
from engram.language.text.normal_forms import rewritten
from engram.language.text.normal_forms import stems
from engram.language.text.normal_forms import translated
from engram.language.text.normal_forms import words_of


class Vocabulary(NamedTuple):
    """What tells that a disguise is worth a look."""

    signs: tuple[str, ...]  # lower-case words of which most orders to an agent hold one
    parts: tuple[str, ...]  # lower-case words that orders without any blank are cut into


def disguised(base: Reading, low: str, words: list[str], known: Vocabulary) -> Iterator[Reading]:
    """Yield the readings of a plain text for which there is evidence; `low` and `words` are its own."""
    distinct = list(dict.fromkeys(words))
    if not low.isascii():
        yield from _lookalikes(base, low, distinct)
    yield from _joined(base, words, known)
    yield from _leet(base, low, distinct, known)
    yield from _turned(base, low, distinct, known)
    for reading in decoded(base, words):
        yield reading
        yield from decoded(reading, words_of(reading.text.lower()))


_CYRILLIC = "абвгдезикмнопрстухьѕіјԁһԛԝ"
_AS_LATIN = "a6brdesnkmhonpctyxbsijdhqw"
_OTHERS = {
    "α": "a", "β": "b", "ε": "e", "ϵ": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
    "υ": "u", "χ": "x", "ω": "w", "γ": "y", "ı": "i", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ⅼ": "l", "օ": "o", "ո": "n",
    "ս": "u", "ց": "g", "հ": "h", "ե": "e", "ɪ": "i", "ɢ": "g", "ɴ": "n", "ʀ": "r", "ʟ": "l", "ʏ": "y", "ʙ": "b",
    "ʜ": "h", "ᴀ": "a", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ᴊ": "j", "ᴋ": "k", "ᴍ": "m", "ᴏ": "o", "ᴘ": "p",
    "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w", "ᴢ": "z", "ø": "o", "ł": "l", "đ": "d",
}  # fmt: skip
_UPPER = dict(zip("АВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abekmhopctyxijsabezhikmnoptyx", strict=True))  # as capitals look
_SHAPES = dict(zip(_CYRILLIC, _AS_LATIN, strict=True)) | _OTHERS | {"в": "b", "н": "h", "г": "r", "и": "n"} | _UPPER
_AS_CYRILLIC = str.maketrans("aeopcyxkmtbhuAEOPCYXKMTBH30", "аеорсухкмтвниаеорсухкмтвнзо")
_MIXED = (
    "[a-zA-Z][\u0300-\u036f\u00c0-\u02af\u0370-\u058f\u1d00-\u1dbf\ua730-\ua7ff]"
    "|[\u0300-\u036f\u00c0-\u02af\u0370-\u058f\u1d00-\u1dbf\ua730-\ua7ff][a-zA-Z]"
    "|[\u0250-\u02af\u1d00-\u1dbf\ua730-\ua7ff]{3}"
)
_ALIKE = "[\u00c0-\u036f\u0370-\u058f\u1d00-\u1dbf\ua730-\ua7ff\U0001f1e6-\U0001f1ff]"
_BADGED = r"(?:[\U0001f1e6-\U0001f1ff]\s?){5}"  # flags without a country
_MIXED_CYRILLIC = "[\u0400-\u04ff][a-zA-Z0-9]|[a-zA-Z0-9][\u0400-\u04ff]"
_MARKS = re.compile("[\u0300-\u036f]")


def _latin_shape(ch: str) -> str:
    if ch.isascii():
        return ch
    if 0x1F1E6 <= ord(ch) <= 0x1F1FF:
        return chr(ord(ch) - 0x1F1E6 + ord("a"))
    bare = _SHAPES.get(ch) or "".join(part for part in unicodedata.normalize("NFD", ch) if not _MARKS.match(part))
    return _SHAPES.get(bare, bare)


_LATIN = Table(_latin_shape)
_BARE = Table(lambda ch: "" if _MARKS.match(ch) else chr(ord(ch)).translate(_AS_CYRILLIC))


def _lookalikes(base: Reading, low: str, words: list[str]) -> Iterator[Reading]:
    if not compiled(_ALIKE).search(low):
        return
    marked = _MARKS.search(low) is not None
    foreign = " ".join(word for word in words if not word.isascii())
    if marked or compiled(_MIXED).search(foreign) or compiled(_BADGED).search(low):
        yield translated(base, " (letters of another script)", _LATIN)
    if marked or compiled(_MIXED_CYRILLIC).search(foreign):
        yield translated(base, " (letters of another script)", _BARE)


_FOUR_ALONE = bytes([True] * 4)  # words in a row, of each of which it is told whether it is one letter
_SPACED = r"(?<!\w)[^\W\d](?:\W{1,6}[^\W\d](?!\w)){3,400}"
_BREAK_SIGN = r"[<*`~^|-](?<=[^\W_].)(?:(?<=[*`~^|])[*`~^|]{0,2}\w|(?<=<)[^<>\n]|(?<=-)\n)"  # within a word
_BREAK = r"(?:(?:<[^<>\n]{1,200}>){1,4}|[*`~^|]{1,3}|-\n\s{0,20})(?=\w)"
_WRAP = "\n(?=[ \t]{0,3}[a-zа-я가-힣])"
OVER_LINES = " (over lines)"
_STOPS = ".!?。\n"  # what ends a sentence before the line's end


def _joined(base: Reading, words: list[str], known: Vocabulary) -> Iterator[Reading]:
    spread = base._replace(text=base.text.replace("_", " "))
    if "_" in base.text:
        words = words_of(spread.text)
    if _FOUR_ALONE in bytes(map((1).__eq__, map(len, words))):
        joined = rewritten(spread, " (spaced out)", _SPACED, lambda match: _close(match.group(), known))
        if joined:
            yield joined
    if compiled(_BREAK_SIGN).search(base.text):
        whole = rewritten(base, " (broken up)", _BREAK, _inside_word)
        if whole:
            yield whole
    if "\n" in base.text:
        line = compiled(_WRAP).sub(_within_sentence, base.text)
        if line != base.text:
            yield base._replace(text=line, how=OVER_LINES)


def _within_sentence(match: re.Match[str]) -> str:
    before = match.string[max(match.start() - 2, 0) : match.start()].rstrip(" \t")
    return "\n" if not before or before[-1] in _STOPS else " "


def _inside_word(match: re.Match[str]) -> str | None:
    return "" if match.start() and match.string[match.start() - 1].isalnum() else None


def _close(run: str, known: Vocabulary) -> str:
    """Join spread letters; where no gap is wider than the others, cut the result into known words."""
    gaps = [len(gap) for gap in compiled(r"\W+").findall(run)]
    if min(gaps) < max(gaps):
        narrow = min(gaps)
        return compiled(r"\W+").sub(lambda gap: "" if len(gap.group()) == narrow else " ", run)
    joined = "".join(filter(str.isalnum, run)).lower()
    return " ".join(compiled(f"({'|'.join(known.parts)})").sub(r" \1 ", joined).split())


_LEET_SIGN = "[0134578@$!|][a-z]"
_LEET_WORD = r"[a-z@$!|]{0,20}[0134578@$!|]{1,3}[a-z][\w@$!|]{0,20}"
_LEET = str.maketrans("0134578@$!|", "oieastbasil")
_LEET_L = str.maketrans("0134578@$!|", "oleastbasll")


def _leet(base: Reading, low: str, words: list[str], known: Vocabulary) -> Iterator[Reading]:
    if "@" in low or "$" in low:
        marked = " ".join(filter(compiled(_LEET_SIGN).search, low.split()))
        words = compiled(_LEET_WORD).findall(marked)
    written = " ".join([word for word in words if not word.isalpha()])
    for table in (_LEET, _LEET_L) if written else ():
        if _holds(written.translate(table), known.signs):
            yield base._replace(text=base.text.translate(table), how=" (digits for letters)")


def _turned(base: Reading, low: str, words: list[str], known: Vocabulary) -> Iterator[Reading]:
    size = len(low)
    if not _mirrored(known).isdisjoint([word[-STEM:] for word in words]) or (
        not low.isascii() and _holds(low, _mirrored_gapless(known))
    ):

        def mirrored(start: int, end: int) -> tuple[int, int]:
            return base.span(size - end, size - start)

        yield Reading(base.text[::-1], " (reversed)", mirrored)
        each = rewritten(base, " (reversed)", r"\w{2,100}", lambda match: match.group()[::-1])
        if each:
            yield each
    if not _shifted(known).isdisjoint(stems(words)):
        yield base._replace(text=codecs.encode(base.text, "rot13"), how=" (in rot13)")


@cache
def _mirrored(known: Vocabulary) -> frozenset[str]:
    return frozenset(sign[:STEM][::-1] for sign in known.signs if len(sign) >= STEM)


@cache
def _mirrored_gapless(known: Vocabulary) -> tuple[str, ...]:
    return tuple(sign[::-1] for sign in known.signs if len(sign) < STEM or compiled(GAPLESS).search(sign))


@cache
def _shifted(known: Vocabulary) -> frozenset[str]:
    return frozenset(codecs.encode(sign[:STEM], "rot13") for sign in known.signs if sign.isascii())


def _holds(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - any() with a generator takes twice as long
        if word in text:
            return True
    return False
