"""What is seen of one statement, when it is asked how likely it makes another one out of date, or is made so. Pure."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import Tokens
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.former_values import FormerValue
from engram.language.compare.updates.former_values import find_former_values
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.language.compare.updates.update_values import find_values
from engram.language.matching.kept_expressions import kept

MAX_CHARS: Final = 400  # of a statement that is read; a longer one tells a story
DAY: Final = "day"  # of the week
EASTERN: Final = kept("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")

_CLOCK: Final = "clock"
_SHORTEST_DAY: Final = 4  # letters of a name of a day that an ending may follow
_PART: Final = 4  # letters of a part of a word; two signs in the scripts of the east
_HAN: Final = "\u3040-\u30ff\u3400-\u9fff"
_HANGUL: Final = "\uac00-\ud7a3"
_WORD: Final = kept(rf"[^\W\d_{_HAN}{_HANGUL}]{{{_PART},60}}|[{_HAN}]{{2,60}}|[{_HANGUL}]{{2,60}}")
_NAME: Final = re.compile(r"(?<!\w)[A-ZÀ-ÝА-ЯЁ][\w’'-]{1,60}")
_OPENINGS: Final = '.!?:\n"„«'  # a capital behind them says nothing
_DIGIT: Final = re.compile(r"\d")


class SeenStatement(NamedTuple):
    """What is seen of one statement."""

    terms: tuple[str, ...]  # in order, without days
    parts: frozenset[str]  # of its words, a few letters each: what two forms of one word, or a compound, share
    values: dict[str, frozenset[str]]  # by kind
    names: frozenset[str]  # words in a capital
    inner_names: frozenset[str]  # those that do not begin a sentence
    name_terms: frozenset[str]  # terms of the names
    length: int
    has_digit: bool
    tells_change: bool
    has_cue: bool
    is_denial: bool
    ends: bool  # says that something is no more
    former: tuple[FormerValue, ...]  # what it says outright that something was


@lru_cache(maxsize=8192)  # a statement is compared with many
def see(text: str) -> SeenStatement:
    """Take a statement apart; what stands behind its first characters is not read."""
    said = text[:MAX_CHARS]
    folded = fold(said)
    tokens = tokenize(said)
    names = [*_names(said)]
    return SeenStatement(
        terms=tuple(list_terms(folded)),
        parts=frozenset(_parts(folded)),
        values=_values(folded, tokens),
        names=frozenset(name for name, _ in names),
        inner_names=frozenset(name for name, is_inner in names if is_inner),
        name_terms=frozenset(term for name, _ in names for term in list_terms(name)),
        length=len(text),
        has_digit=bool(_DIGIT.search(text)),
        tells_change=announces_change(said),
        has_cue=bool(telling_words(folded)),
        is_denial=tokens.negated,
        ends=bool(tokens.ceased),
        former=tuple(one for one in find_former_values(said) if not one.is_withdrawn),  # nothing was learned of those
    )


def list_terms(folded: str) -> Iterable[str]:
    """Return the terms of a text once each, in order; a day of the week is a value, and no term."""
    found = dict.fromkeys(content_terms(folded))
    return [term for term in found if not term.startswith(_day_names())]


def _parts(folded: str) -> Iterator[str]:
    for word in _WORD.findall(folded):
        size = 2 if EASTERN.match(word) else _PART
        yield from (word[at : at + size] for at in range(len(word) - size + 1))


def _names(said: str) -> Iterator[tuple[str, bool]]:
    """Yield every word in a capital, and whether the capital tells it to be a name."""
    for match in _NAME.finditer(said):
        before = said[: match.start()].rstrip()
        yield fold(match.group()).partition("'")[0], bool(before) and before[-1] not in _OPENINGS


def _values(folded: str, tokens: Tokens) -> dict[str, frozenset[str]]:
    values: dict[str, set[str]] = {}
    for value in find_values(folded):
        values.setdefault(value.kind, set()).add(value.value)
    for token in tokens.items:
        if token.kind == DATE:
            values.setdefault(_kind_of_date(token.value), set()).add(token.value)
        elif token.kind in {NUMBER, VERSION}:
            values.setdefault(token.kind, set()).add(token.value)
    if days := set(_days(folded)):
        values.setdefault(DAY, set()).update(days)
    return {kind: frozenset(some) for kind, some in values.items()}


def _kind_of_date(value: str) -> str:
    if ":" in value:
        return _CLOCK
    return DATE if value[:1].isdigit() or value[:1] == "-" else DAY


def _days(folded: str) -> Iterator[str]:
    """Yield the days of the week that a text names in any form, by their first letters: mondays, montags."""
    return (term[:_SHORTEST_DAY] for term in content_terms(folded) if term.startswith(_day_names()))


@cache
def _day_names() -> tuple[str, ...]:
    return tuple(sorted(day for day in load_lexicon().days if len(day) >= _SHORTEST_DAY))
