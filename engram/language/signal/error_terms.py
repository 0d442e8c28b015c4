"""Whether a text meets an error, and whether it is the one that a lesson tells of: by words that few errors share.

One file a language in `patterns/errors`: `met`, an expression for what tells of an error; `mended`, one for a statement
that tells how something was mended, and says nothing without what failed before it; `generic`, words that are in
so many errors that they tell none from another; `common`, identifiers of which the same is true; `same`, other words
for one failure. Pure.
"""

import re
from collections.abc import Collection
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.near_expressions import NearExpressions
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.terms.terms import terms

_KIND: Final = "errors"
_MOST_CHARS: Final = 8000  # of a text that is looked through: a traceback ends in its error
_FEWEST_SHARED: Final = 2  # words that a text and a lesson have in common, unless one is an identifier
_SHARE: Final = 0.2  # of a lesson's words that a text has, at least
_LEAST_CHARS: Final = 4  # of an identifier
_IDENTIFIER: Final = re.compile(  # ERESOLVE, SessionStore, max_connections, F401
    r"(?<![\w-])(?:[A-Z][A-Z0-9]{4,}|\w{0,60}[a-z]{2}[A-Z]\w{0,60}|[A-Za-z][A-Za-z0-9]{0,60}_\w{1,60}"
    r"|[A-Za-z]{1,5}-?\d{3,}\w{0,60})\b"
)
_CLAUSE: Final = re.compile(r"[^;；，,。!?！？\n]+")
_WHOLE: Final = "*"  # ends the term of a whole Korean word


class ErrorTerms(NamedTuple):
    """By what an error is known again."""

    words: frozenset[str]  # terms that few errors share
    told: int  # how many of them stand in what tells of the failure, not of its cure
    names: frozenset[str]  # identifiers, in small letters: of codes, exceptions, settings


def meets_error(text: str) -> bool:
    """Tell whether a text tells of an error that somebody met."""
    return "met" in _said(text)


def mends(text: str) -> bool:
    """Tell whether a statement tells the cause or the cure of what failed before it: "Fixed by pinning numpy"."""
    return "mended" in _said(text)


@lru_cache(maxsize=1024)  # asked of each line for itself, and for the lines beside it
def _said(text: str) -> tuple[str, ...]:
    return tuple(_expressions().found_in(_piece(text).lower()))


@cache
def _expressions() -> NearExpressions:
    return NearExpressions({name: joined(_KIND, name) for name in ("met", "mended")})


@lru_cache(maxsize=4096)  # every prompt is held against the same lessons
def error_terms(text: str) -> ErrorTerms:
    """Return by what the error that a text tells of is known again."""
    piece = _piece(text)
    named = (name.lower() for name in _IDENTIFIER.findall(piece) if len(name) >= _LEAST_CHARS)
    names = frozenset(name for name in named if name not in _common_names())
    plain = piece.lower()
    for source, word in _same().items():
        plain = compiled(source).sub(f" {word} ", plain)
    found = {one for one in terms(plain) if not one.isdigit() and (one.endswith(_WHOLE) or not _is_hangul(one))}
    parts = {
        part for one in found if not one.isalnum() and not one.endswith(_WHOLE) for part in terms(one) if part != one
    }
    words = frozenset(found - parts) - _generic()
    told = [clause for clause in _CLAUSE.findall(plain) if meets_error(clause)]
    return ErrorTerms(words, len(words & frozenset(terms(" ".join(told)))) or len(words), names)


def likeness(met: ErrorTerms, lesson: ErrorTerms, common: Collection[str] = ()) -> float:
    """Return how much of a lesson's error a text has, above 0 only when it is taken for the same one.

    Args:
        met: of the text that meets it.
        lesson: of what was learnt.
        common: terms of so many lessons that they tell none from another.
    """
    words = lesson.words - frozenset(common)
    shared = met.words & words
    named = met.names & lesson.names - frozenset(common)
    share = len(shared) / max(1, lesson.told)
    is_enough = len(shared) >= _FEWEST_SHARED and share >= _SHARE
    return share + len(named) if named or is_enough else 0.0


def _piece(text: str) -> str:
    """Return what is read of a long text: its beginning and its end."""
    half = _MOST_CHARS // 2
    return text if len(text) <= _MOST_CHARS else f"{text[:half]}\n{text[-half:]}"


def _is_hangul(term: str) -> bool:
    return compiled("[\uac00-\ud7a3]").search(term) is not None


@cache
def _generic() -> frozenset[str]:
    return frozenset(term for data in read_languages(_KIND).values() for term in terms(data["generic"]))


@cache
def _common_names() -> frozenset[str]:
    return frozenset(name for data in read_languages(_KIND).values() for name in data.get("common", "").split())


@cache
def _same() -> dict[str, str]:
    return {source: word for data in read_languages(_KIND).values() for source, word in data["same"].items()}
