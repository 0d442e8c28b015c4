"""How a text becomes the terms of the lexical leg, in every script: the same function for documents and for questions.

Words are stemmed, stop words are dropped. An identifier (`POSTGRES_URL`, `v2.3.1`, `engine.py`, `C++`, a path) is a
term as a whole, and its parts are terms too. Chinese, Japanese and Korean runs become pairs of characters; a Korean
word also gives its first syllable, because what changes is at its end.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable
from functools import cache
from functools import lru_cache
from pathlib import Path

_HAN_KANA = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_WORD = rf"[^\W{_HAN_KANA}{_HANGUL}]+"
_CHUNK = re.compile(rf"(?P<han>[{_HAN_KANA}]+)|(?P<hangul>[{_HANGUL}]+)|{_WORD}(?:['’./\\:@+#&-]+{_WORD})*(?:\+\+|#)?")
_PARTS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_HUMP = re.compile(r"(?<=[a-zа-я])(?=[A-ZА-Я])")
_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # words of letters, hyphens and apostrophes only: no identifier
_POSSESSIVE = re.compile(r"['’]s?$")
_MIN_HUMP_CHARS = 3  # a shorter piece of a name such as LoCoMo says nothing
_CACHED_CHUNKS = 1 << 16  # distinct words kept with their terms; text repeats its words

_STOPWORDS_FILE = Path(__file__).with_name("patterns") / "stopwords.toml"


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, as often as they stand there; empty when nothing carries meaning."""
    found: list[str] = []
    for match in _CHUNK.finditer(unicodedata.normalize("NFKC", text)):
        found.extend(_run_terms(match) if match.lastgroup else _chunk_terms(match[0]))
    return found


@cache
def stop_words() -> frozenset[str]:
    """Return the words that are dropped, of all languages, in folded form."""
    tables = tomllib.loads(_STOPWORDS_FILE.read_text(encoding="utf-8"))["stopwords"]
    return frozenset(_fold(word) for words in tables.values() for word in words.split())


def _fold(word: str) -> str:
    return word.casefold().replace("ё", "е").replace("’", "'")


def _run_terms(match: re.Match[str]) -> list[str]:
    run = match[0]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return [run[0], *pairs] if match["hangul"] else pairs or [run]


@lru_cache(maxsize=_CACHED_CHUNKS)
def _chunk_terms(chunk: str) -> tuple[str, ...]:
    if _fold(chunk) in stop_words():
        return ()
    parts = [term for part in _PARTS.findall(chunk) for term in _part_terms(part)]
    whole = _fold(chunk).strip("_")
    if _PLAIN.fullmatch(chunk) or parts == [whole]:
        return tuple(parts)
    return (whole, *parts) if whole else tuple(parts)


def _part_terms(part: str) -> list[str]:
    folded = _fold(part)
    if folded in stop_words():
        return []
    humps = [_fold(hump) for hump in _HUMP.split(part) if len(hump) >= _MIN_HUMP_CHARS]
    pieces = [_stem(hump) for hump in humps if hump != folded]
    return list(dict.fromkeys([_stem(_POSSESSIVE.sub("", folded).replace("'", "")), *pieces]))


def _stem(word: str) -> str:
    if any(ch.isdigit() for ch in word):
        return word
    return _stemmer("russian" if _CYRILLIC.search(word) else "english")(word)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer  # noqa: PLC0415 - a compiled library that the hook path must not load

    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem
