"""Names in a statement that a bare "no, it's Postgres" may change: by their capitals, and by their kind.

Only names in Latin and Cyrillic letters can be told by their form; in Chinese and Korean text they are those in Latin.
"""

import re
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.corrections import load_bare
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold

_LETTER = "A-Za-zÀ-ÖØ-öø-ÿА-Яа-яЁё"
_WORD = rf"[A-ZÀ-ÖØ-ÞА-ЯЁ][{_LETTER}\d'’]{{0,30}}(?:[-.+#][{_LETTER}\d]{{1,20}}){{0,3}}[+#]{{0,2}}"
_MOST_CHARS = 60  # of a name
_ENDS = (".", "!", "…", "?")  # of a sentence: a capital behind one tells no name


class ChangeableName(NamedTuple):
    """A name: `text[start:end]`."""

    name: str
    start: int
    end: int
    is_short: bool  # letters such as ETL or CSV, which stand for no name such as Anna
    before: str = ""  # the preposition right before it, as far as it is said with one


def bare_name(correction: Correction) -> ChangeableName | None:
    """Return the name that a correction consists of but for words such as "it's"; None for any other correction."""
    begins = correction.text[: -len(correction.statement)].rstrip().endswith(_ENDS)
    bare = load_bare()
    for pattern in bare.patterns:
        found = pattern.fullmatch(correction.statement)
        if found and bare.reply.fullmatch(found["right"]):
            return None
        if found and len(found["right"]) <= _MOST_CHARS and (name := _name().fullmatch(found["right"])):
            said = _as_name(name)
            is_plain = begins and not found.start("right") and said.name.isalpha() and said.name[1:].islower()
            before = fold(found.groupdict().get("before") or "")
            return None if is_plain or _is_word(said.name) else said._replace(before=before)
    return None


@lru_cache(maxsize=4096)  # a statement is compared with many
def find_names_like(name: ChangeableName, text: str) -> tuple[ChangeableName, ...]:
    """Return the names of a text in whose place another one may be said, in order.

    Those that stand behind its preposition are all, when there are any: "with Boris" is said in place of "with Anna".
    """
    said = (_as_name(found) for found in _name().finditer(text))
    alike = [one for one in said if one.is_short == name.is_short and not _is_word(one.name)]
    places = [one for one in alike if one.start or _is_cyrillic(one.name) == _is_cyrillic(name.name)]
    behind = [one for one in places if name.before and fold(text[: one.start]).split()[-1:] == [name.before]]
    return tuple(behind or places)


def _is_cyrillic(name: str) -> bool:
    return "\u0400" <= name[0] <= "\u04ff"


def _as_name(found: re.Match[str]) -> ChangeableName:
    name = found[0].rstrip(".'’-")
    return ChangeableName(name, found.start(), found.start() + len(name), name.isupper() and len(name) > 1)


def _is_word(name: str) -> bool:
    """Tell whether a name is a word that only begins a sentence, or a day or month (January 12), which are values."""
    lexicon = load_lexicon()
    word = fold(name).rstrip(" .0123456789")
    others = (lexicon.stop, lexicon.dropped, lexicon.negation, lexicon.days, lexicon.months)
    return any(word in words for words in others)


@cache
def _name() -> re.Pattern[str]:
    return re.compile(rf"(?<![{_LETTER}\d_/.@-]){_WORD}(?: (?:{_WORD}|v?\d[\d.]{{0,6}}(?![\w/:-]))){{0,3}}")
