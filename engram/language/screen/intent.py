"""Whether a text steers the agent that reads it: the last line for what nobody vouches for.

An order need not look like one: "queries about A belong to B", "what worked: the warnings were dismissed unread; do so
each time". What gives such a text away is that several things meet in one place: an occasion, an answer, an address, a
safeguard that is to be left out. Each is a *concept*, found by an expression of the data files; how much each of them
and each pair counts is learnt (`scripts/train_screen.py`). A person may say all of this: their own words are not asked.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from itertools import pairwise
from typing import Final
from typing import NamedTuple

from engram.language import PATTERNS
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.language_id import latin_languages_of
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in
from engram.language.text.normal_forms import plain

STEERS: Final = "steers the agent that reads it"
_MOST_READ: Final = 20_000  # characters of one text that are looked at
_SHORT: Final = 400  # characters that are looked at as one
_MOST_IN_ONE: Final = 700  # characters of two sentences in a row; longer ones are cut
_ADDRESS: Final = (
    r"\bhttps?://\S+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?:[a-z0-9-]+\.){1,4}(?:com|net|org|io|dev|example|ru|cn|kr)/\S*"
)
_HIDDEN: Final = (
    r"<!--(.*?)-->|\[//\]: # \((.*?)\)|\[comment\]: <> \((.*?)\)"
    r"|<(?:\w+)\b[^<>]{0,200}?(?:display:\s*none|visibility:\s*hidden|font-size:\s*0|opacity:\s*0(?![.\d])|\bhidden\b)"
    r"[^<>]{0,200}>(.*?)</"
)
_SENTENCE: Final = r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+"


class Suspicion(NamedTuple):
    """A stretch of a text that steers, and how sure that is."""

    text: str
    chance: float  # 0 to 1


class _Weights(NamedTuple):
    base: float
    by_feature: dict[str, float]
    threshold: float  # chance from which a text counts as one that steers


def find_steering(text: str) -> Suspicion | None:
    """Return the stretch that steers most, None when none does enough."""
    weights = _weights()
    found = max((Suspicion(one, chance_of(one)) for one in stretches(text)), key=lambda one: one.chance, default=None)
    return found if found is not None and found.chance >= weights.threshold else None


def chance_of(stretch: str) -> float:
    """Return how likely it is that a short text steers, from 0 to 1."""
    weights = _weights()
    total = weights.base + sum(weights.by_feature.get(one, 0.0) for one in features(stretch))
    return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


def features(stretch: str) -> list[str]:
    """Return the concepts of a short text and their pairs, in order."""
    low = plain(stretch).text.lower()
    found = concepts(low)
    for match in compiled(f"(?s){_HIDDEN}").finditer(low):
        inner = next((group for group in match.groups() if group), "")
        if not concepts(inner).isdisjoint(_ACTING):
            found.add("hidden")
    names = sorted(found)
    return [*names, *(f"{one}+{other}" for one, other in combinations(names, 2))]


_LEFT_OUT: Final = frozenset({"conceal", "silence"})  # which "without asking" has
_TAKEN_BACK: Final = frozenset({"answer", "address", "waived"})  # beside which a safeguard may be none
_ACTING: Final = frozenset({"hand", "agent", "send", "conceal", "silence"})  # which no mere remark in a page has


def concepts(low: str) -> set[str]:
    """Return the concepts of a text in lower case and plain form.

    "Never deploy without asking Anna" keeps a safeguard and leaves none out, unless an exception takes it back:
    "whoever has no time deploys anyway".
    """
    found = _concepts(low)
    if _LEFT_OUT.isdisjoint(found) or not _TAKEN_BACK.isdisjoint(found):
        return found
    kept = _without_kept_safeguards(low)
    return found if kept == low else _concepts(kept)


def _without_kept_safeguards(low: str) -> str:
    for code, script, expression in _safeguards():
        if _is_for(code, script, low):
            low = compiled(expression).sub(_without_group, low)
    return low


def _without_group(said: "re.Match[str]") -> str:
    """Return what was found without the one group of it that found something."""
    return said[0].replace(next(filter(None, said.groups())), " ")


def _concepts(low: str) -> set[str]:
    found = {
        name
        for code, script, expressions in _expressions()
        if _is_for(code, script, low)
        for name, expression in expressions
        if compiled(expression).search(low)
    }
    if compiled(_ADDRESS).search(low):
        found.add("address")
    return found


def stretches(text: str) -> Iterator[str]:
    """Yield what is looked at as one: a short text as it is, of a long one each two sentences in a row."""
    text = text[:_MOST_READ]
    if len(text) <= _SHORT:
        yield text
        return
    sentences = [piece.strip() for piece in compiled(_SENTENCE).split(text) if piece and piece.strip()]
    if len(sentences) == 1:
        sentences = [text[start : start + _MOST_IN_ONE] for start in range(0, len(text), _MOST_IN_ONE // 2)]
    for first, second in pairwise(sentences):
        yield f"{first[:_MOST_IN_ONE]} {second[:_MOST_IN_ONE]}"


@cache
def _expressions() -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    files = read_languages("intent").items()
    return tuple((code, data["script"], tuple(sorted(data["concept"].items()))) for code, data in files)


@cache
def _safeguards() -> tuple[tuple[str, str, str], ...]:
    files = read_languages("intent").items()
    return tuple((code, data["script"], data["kept_safeguard"]) for code, data in files)


def _is_for(code: str, script: str, low: str) -> bool:
    """Tell whether expressions of a language are for a text; those of English are for any in its letters.

    Who writes German words around an English order does not hide it.
    """
    if not stands_in(script, low):
        return False
    return code == ENGLISH or not stands_in(script, "a") or code in latin_languages_of(low)


@cache
def _weights() -> _Weights:
    with open(f"{PATTERNS}intent.json", encoding="utf-8") as file:  # noqa: PTH123 - as other data files
        data = json.load(file)
    return _Weights(data["base"], data["weights"], data["threshold"])
