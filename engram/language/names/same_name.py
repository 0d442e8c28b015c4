"""When two names are the same name written in another way.

Two strengths: `spelling_key` looks through case, spacing, punctuation and accents, so that equal keys of two entities
are a mistake; `sound_key` looks through script and endings besides, so that equal keys are worth a question.
"""

import re
import unicodedata

_MEANT = "+#"  # characters beside letters and digits that tell names apart: C, C++, C#
_INNER_DOT = re.compile(r"(?<=\d)\.(?=\d)")  # 1.2 is not 12
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґў"
_IN_LATIN = "a b v g d e zh z i i k l m n o p r s t u f h ts ch sh sh _ i _ e iu ia i i e g u"  # _ is silent
_LATIN = dict(zip(_CYRILLIC, _IN_LATIN.split(), strict=True))
_SPELLINGS = (("kh", "h"), ("tz", "ts"), ("yu", "iu"), ("ya", "ia"), ("ju", "iu"), ("ja", "ia"), ("y", "i"), ("j", "i"))
_SHORTEST_SOUND = 3  # characters; shorter keys say too little


def spelling_key(name: str) -> str:
    """Return the name without case, accents, spacing and punctuation; empty when nothing is left."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("ё", "е")
    kept = _INNER_DOT.sub("\0", folded)
    return "".join(_plain(char) for char in kept if char.isalnum() or char in _MEANT or char == "\0")


def sound_key(name: str) -> str:
    """Return the spelling in Latin letters, with spellings of one sound made one; empty when it says too little.

    Sergey, Sergei and Сергей have one key. Han and Hangul have no letters in common with Latin: they stay.
    """
    latin = "".join(_LATIN.get(char, char) for char in spelling_key(name)).replace("_", "")
    for written, sound in _SPELLINGS:
        latin = latin.replace(written, sound)
    latin = re.sub(r"([a-z])\1+", r"\1", latin)
    return latin if len(latin) >= _SHORTEST_SOUND or not latin.isascii() else ""


def _plain(char: str) -> str:
    """Return a character without its accent; й, and what is no Latin letter, as it is."""
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() else char
