"""Words in the one form in which they are compared: folded, and as stems."""

import unicodedata
from functools import cache
from functools import lru_cache
from typing import Any

from engram.language.matching.stemmers import load_stemmer
from engram.language.terms.korean import stem_korean

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "ё": "е"})


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, case folded, simple apostrophes, ё as е, single spaces."""
    if text.isascii():
        return " ".join(text.lower().replace("`", "'").split())
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES).split())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a folded word in the language of its script; names with digits or signs stay."""
    if not word.isalpha() or "\u3040" <= word[0] <= "\u9fff":
        return word
    if "가" <= word[0] <= "힣":
        return stem_korean(word)
    return str(_stemmer("russian" if "а" <= word[0] <= "я" else "english").stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    return load_stemmer(language, 0)
