"""How a text becomes the terms of the lexical leg, in every script.

Words are stemmed, stop words are dropped. An identifier (`POSTGRES_URL`, `v2.3.1`, `engine.py`, `C++`, `--no-verify`, a
path) is a term as a whole, and its parts are terms too. Chinese, Japanese and Korean runs become pairs of characters; a
Korean word loses its particles and endings first, and also gives its first syllable.

A question and what answers it must have terms in common. Words in Latin letters are English to `terms`. What is indexed
has the terms of the language that it is written in, marked with it (`de:wohn`); a question is too short to tell, so it
has the terms that its words would have in any of them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from engram.language.matching.kept_expressions import kept
from engram.language.terms.korean import stem_korean
from engram.language.terms.stemming import ENGLISH
from engram.language.terms.stemming import stem
from engram.language.terms.stemming import stems
from engram.language.terms.stemming import term_languages

# Scripts without spaces between words: Chinese and Japanese, Thai and Lao, Burmese, Khmer.
_RUNS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_SIGNS = "\u064b-\u065f\u0900-\u0963\u0971-\u0dff"  # vowels that Python counts as no letters: Arabic, scripts of India
_WORD = rf"(?:[^\W{_RUNS}{_HANGUL}]|[{_SIGNS}])+"
_CHUNK = kept(
    rf"(?P<run>[{_RUNS}]+)|(?P<hangul>[{_HANGUL}]+)"
    r"|(?P<grouped>(?<![\w.,])\d{1,3}(?:,\d{3})+(?!,?\d))"  # 1,000,000
    r"|(?:(?<![\w-])--?(?=[A-Za-z])|(?<![\w.])\.(?=[A-Za-z])|(?<![\w&])#(?=\d))?"  # --force, .env, #12
    rf"{_WORD}(?:['’./\\:@+#&-]+{_WORD})*(?:\+\+|#)?"
)
_PLAIN = kept(rf"(?:[^\W\d_]|[{_SIGNS}])+(?:['’-][^\W\d_]+)*")  # words, hyphens, apostrophes only
_PART = kept(
    r"(?:(?<![^\W_])[vV])?(?P<version>\d+(?:\.\d+)+)"
    r"|[^\W\d_]+(?=\d+\.\d)"  # python3.11 is python and 3.11
    rf"|(?:[^\W_]|[{_SIGNS}])+(?:['’][^\W_]+)*"
)
_SEGMENT = re.compile(r"[/\\:@=]+")  # src/engine.py:12 holds engine.py
_HUMP = re.compile(r"(?<=[a-zа-я])(?=[A-ZА-Я])|(?<=[A-ZА-Я]{2})(?=[A-ZА-Я][a-zа-я])")
_JOINED = re.compile(r"([^\W\d_]{2,})(\d{2,})")  # TS2345 holds TS and 2345
_HEX = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,64}")
_POSSESSIVE = re.compile(r"['’]s?$")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff'’-]+")
_MIN_HUMP_CHARS = 3  # a shorter piece of a name such as LoCoMo says nothing
_SHORT_HASH = 7  # characters by which people name a commit
_ENOUGH_VOTES = 2  # stop words of another language, before a text is not English
_CACHED_TOKENS = 1 << 16  # distinct words kept with their terms; text repeats its words
_CACHED_WORDS = 1 << 13  # the same within tokens, and for questions
_LONGEST_CACHED = 40  # characters; what is longer seldom comes again
_CACHED_LINES = 1 << 12  # the last ones read: what is said comes again as the context of what is said next
_LONGEST_LINE = 500  # characters
_SIGN = kept(rf"[{_RUNS}{_HANGUL}]")
_RUN_SIGN = kept(rf"[{_RUNS}]")
_HANGUL_WORD = kept(rf"[{_HANGUL}]+")

_WHOLE = "*"  # after a whole Korean stem: not the same term as a pair of syllables


class _Chunk(NamedTuple):
    """A word, an identifier or a run of signs, as it stands in a text."""

    text: str
    terms: tuple[str, ...]
    is_latin: bool  # a word in Latin letters, perhaps of another language than English


class _Token(NamedTuple):
    """What stands between two spaces."""

    chunks: tuple[_Chunk, ...]
    terms: tuple[str, ...]  # of all chunks
    votes: tuple[str, ...]  # languages of which a word in it is a stop word


class _Line(NamedTuple):
    """The tokens of a line, and what they hold."""

    tokens: tuple[_Token, ...]
    terms: tuple[str, ...]
    votes: tuple[str, ...]


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, as often as they stand there; empty when nothing carries meaning.

    The same for documents and questions: Latin letters are English, whatever the text says.
    """
    return [term for line in _lines(text) for term in line.terms]


def indexed_terms(text: str) -> list[str]:
    """Return the terms that a document is found by: those of `terms`, or of the language that it is written in."""
    lines = list(_lines(text))
    language = _language(lines)
    if language == ENGLISH:
        return [term for line in lines for term in line.terms]
    chunks = (chunk for line in lines for token in line.tokens for chunk in token.chunks)
    return [term for chunk in chunks for term in (_words_in(chunk.text, language) if chunk.is_latin else chunk.terms)]


def asked_terms(text: str) -> list[str]:
    """Return the terms of a question: those of `terms`, and what its words would be in other languages.

    A stop word of the language that it seems to be in is no English word: "die" in a German question.
    """
    lines = list(_lines(text))
    language = _language(lines)
    stop = stop_words(language) if language != ENGLISH else ()
    chunks = [
        chunk for line in lines for token in line.tokens for chunk in token.chunks if _fold(chunk.text) not in stop
    ]
    words = dict.fromkeys(chunk.text for chunk in chunks if chunk.is_latin)
    return [
        *(term for chunk in chunks for term in chunk.terms),
        *(term for word in words for term in _words_elsewhere(word)),
    ]


def count_words(text: str) -> int:
    """Return about how many words of a text carry meaning; without spaces, two signs are taken for a word."""
    spelled = {term for term in terms(text) if not _SIGN.search(term)}
    return len(spelled) + len(_HANGUL_WORD.findall(text)) + len(_RUN_SIGN.findall(text)) // 2


@cache
def stop_words(language: str = "") -> frozenset[str]:
    """Return the words that are dropped, in folded form: of one language, or of those that are read in any text."""
    if language:
        return frozenset(map(_fold, term_languages()[language]["stopwords"].split()))
    anywhere = (code for code, data in term_languages().items() if data.get("anywhere"))
    return frozenset[str]().union(*map(stop_words, anywhere))


@cache
def _letters() -> dict[str, frozenset[str]]:
    files = term_languages().items()
    return {code: frozenset(data["letters"].split()) for code, data in files if "letters" in data}


@cache
def _elides(language: str) -> bool:
    return bool(term_languages()[language].get("elides"))


def _fold(word: str) -> str:
    return word.casefold().replace("ё", "е").replace("’", "'")


def _lines(text: str) -> Iterator[_Line]:
    for line in text.split("\n"):  # nothing in NFKC reaches over the end of a line
        yield _line(line) if len(line) <= _LONGEST_LINE else _line.__wrapped__(line)


@lru_cache(maxsize=_CACHED_LINES)
def _line(line: str) -> _Line:
    tokens = tuple(map(_read_token, unicodedata.normalize("NFKC", line).split()))
    terms_of_all = tuple([term for token in tokens for term in token.terms])
    return _Line(tokens, terms_of_all, tuple([code for token in tokens for code in token.votes]))


def _read_token(token: str) -> _Token:
    return _token(token) if len(token) <= _LONGEST_CACHED else _token.__wrapped__(token)


@lru_cache(maxsize=_CACHED_TOKENS)
def _token(token: str) -> _Token:
    chunks = tuple(map(_chunk, _CHUNK.finditer(token)))
    votes = (code for chunk in chunks if chunk.is_latin for code in _votes(_fold(chunk.text)))
    return _Token(chunks, tuple(term for chunk in chunks for term in chunk.terms), tuple(votes))


def _chunk(match: re.Match[str]) -> _Chunk:
    chunk = match[0]
    match match.lastgroup:
        case "run":
            return _Chunk(chunk, _pairs(chunk) or (chunk,), is_latin=False)
        case "hangul":
            return _Chunk(chunk, _korean_terms(chunk), is_latin=False)
        case "grouped":
            return _Chunk(chunk, _chunk_terms(chunk.replace(",", "")), is_latin=False)
        case _ if len(chunk) <= _LONGEST_CACHED:
            return _word_chunk(chunk)
        case _:
            return _word_chunk.__wrapped__(chunk)


@lru_cache(maxsize=_CACHED_WORDS)
def _word_chunk(chunk: str) -> _Chunk:
    return _Chunk(chunk, _chunk_terms(chunk), is_latin=_is_latin_word(chunk))


def _is_latin_word(chunk: str) -> bool:
    return _LATIN.fullmatch(chunk) is not None and not _HUMP.search(chunk)


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(run[place : place + 2] for place in range(len(run) - 1))


def _korean_terms(word: str) -> tuple[str, ...]:
    bare = stem_korean(word) or word
    return bare[0], *_pairs(bare), f"{bare}{_WHOLE}"


def _chunk_terms(chunk: str) -> tuple[str, ...]:
    if _is_stop(chunk):
        return ()
    parts = [term for part in _PART.finditer(chunk) for term in _part_terms(part)]
    if _PLAIN.fullmatch(chunk):
        joined = [stem(_fold(chunk).replace("-", ""))] if parts and "-" in chunk and "'" not in _fold(chunk) else []
        return (*joined, *parts)
    segments = [segment for segment in _SEGMENT.split(chunk) if not segment.isalnum()]
    names = [_fold(name).strip("_") for name in (chunk, *segments)]
    held = [name for name in dict.fromkeys(names) if name and name not in parts]
    return (*held, *parts)


def _is_stop(word: str) -> bool:
    """Tell whether a word says nothing; in capitals it may be a name: IT, WHO."""
    return _fold(word) in stop_words() and not (len(word) > 1 and word.isascii() and word.isupper())


def _part_terms(found: re.Match[str]) -> list[str]:
    part = found[0]
    if found["version"]:
        first, second, *_ = found["version"].split(".")
        return [found["version"], f"{first}.{second}.*"]  # 2.3.1 is not 2.3, but of the same line
    if _is_stop(part):
        return []
    folded = _fold(part)
    humps = _HUMP.split(part)
    pieces = [folded] if len(humps) > 1 else []  # whole, as a name: PodPolicies is not PodPolicy
    pieces += [stem(_fold(hump)) for hump in humps if _MIN_HUMP_CHARS <= len(hump) < len(part)]
    if joined := _JOINED.fullmatch(folded):
        pieces += [stem(joined[1]), joined[2]]
    if _HEX.fullmatch(folded):
        pieces.append(f"hash:{folded[:_SHORT_HASH]}")
    return list(dict.fromkeys([*stems(_POSSESSIVE.sub("", folded).replace("'", "")), *pieces]))


def _language(lines: Iterable[_Line]) -> str:
    """Return the language of a text whose stop words are clearly not English ones, or else English."""
    votes = Counter(chain.from_iterable([line.votes for line in lines]))
    code, most = max(votes.items(), key=lambda one: one[1], default=(ENGLISH, 0))
    return code if most >= max(_ENOUGH_VOTES, 2 * votes[ENGLISH] + 1) else ENGLISH


def _votes(word: str) -> list[str]:
    """Return the languages in Latin letters of which a folded word is a stop word, or whose letters it has."""
    marked = {ch for ch in word if not ch.isascii()}
    return [
        code
        for code in (ENGLISH, *_letters())
        if word in stop_words(code) or (marked and marked <= _letters().get(code, frozenset()))
    ]


@lru_cache(maxsize=_CACHED_WORDS)
def _words_elsewhere(chunk: str) -> tuple[str, ...]:
    return tuple(term for language in _letters() for term in _words_in(chunk, language))


@lru_cache(maxsize=_CACHED_WORDS)
def _words_in(chunk: str, language: str) -> tuple[str, ...]:
    """Return the terms of a word, or of words joined by hyphens, of a language other than English.

    English stop words are dropped too: they would bring every question to the few texts that quote some English.
    """
    words = (_bare(word, language) for word in _fold(chunk).split("-"))
    said = (word for word in words if word and word not in stop_words(language) and word not in stop_words())
    return tuple(f"{language}:{stem(word, language)}" for word in said)


def _bare(word: str, language: str) -> str:
    """Take off what an apostrophe joins to a word: l'homme, dell'arte; Ankara'da."""
    head, apostrophe, tail = word.partition("'")
    if not apostrophe:
        return word
    return tail.replace("'", "") if _elides(language) and len(tail) > 1 else head
