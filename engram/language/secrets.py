"""Secrets by the shape of their values: found and taken out before a text is stored anywhere."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engram.language.expressions import compiled

_SHORTEST_PASSWORD = 5  # characters of a value that a name calls a password
_REPEATED_CHARS = 8  # characters of a value that is also looked for elsewhere in the text
_MOST_REPEATED = 100  # values of one text that are looked for elsewhere
_ENTROPY = 3.1  # bits a character, for the value of a weak name
_LONG_RANDOM = 26  # characters from which letters alone can be random
_CHUNK_CHARS = 3  # characters of a chunk on average, from which a value is made of words
_RUN = r"(.)\1{4}"
_CAMEL = r"[A-Z]?[a-z]+(?:[A-Z_-][a-z]+)*"
_UNSPEAKABLE = "(?i)[bcdfghjklmnpqrstvwxz]{5}"
_CHUNK = r"[A-Z]?[a-z]+|[A-Z]+|\d+"
_MARK = r"\[secret:[a-z-]+\]"
_PLACEHOLDER = (
    r"(?i)^[<\[{$%@].*|.*[$%]\{|.*\{\{|.*\$\(|\*{3,}|.*x{5,}|.*\.{3,}|.*example|.*your[_-]|.*(?:your|my|the)[_-]?(?:key|token|secret|password|api|pass|own)|"
    r".*here$|.*(?:redacted|changeme|placeholder|dummy|insert|replace)|\[secret:|(?:null|none|nil|true|false|undefined|required|optional|string|"
    r"password|secret|token|test|default|empty|unknown|hidden|secure|process\.env|os\.environ|getenv|env\.|config\.|settings\.|self\.|this\.).*$"
)
_NOT_RANDOM = (
    r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^https?://|^(?:~|\.{0,2})/?(?:[\w.-]+/)+[\w.-]*\.\w{1,5}$|"
    r"^(?:/[\w.-]+)+$|^[\w-]+(?:\.[a-z_]\w*){2,}\(?$|^[a-z_]+\.[a-z_]+\w*\(?$|^\d[\d.,:-]*$"
)


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str  # each secret replaced by [secret:KIND]
    kinds: tuple[str, ...]  # the kinds that were taken out, in order, each once


class _Shape(NamedTuple):
    kind: str  # what stands in the mark
    near: tuple[str, ...]  # folded; one of them stands in every text that can match
    check: str  # shape, random, assigned, token, entropy
    source: str  # the expression


def redact(text: str) -> Redaction:
    """Return the text with each secret replaced by `[secret:KIND]`, and the kinds. Redacting again changes nothing."""
    kinds: list[str] = []
    while True:  # taking one secret out may lay another one bare; each round takes something, so this ends
        cleaned, found = _redact_once(text)
        if not found:
            return Redaction(text, tuple(dict.fromkeys(kinds)))
        text = cleaned
        kinds += found


def _redact_once(text: str) -> tuple[str, list[str]]:
    folded = text.casefold()
    kinds: list[str] = []
    for shape in _shapes():
        if any(word in folded for word in shape.near):
            text, found = _take_out(shape, text)
            kinds += [shape.kind] * found
    return text, kinds


@cache
def _shapes() -> tuple[_Shape, ...]:
    with open(__file__.removesuffix("secrets.py") + "patterns/secrets.toml", "rb") as file:  # noqa: PTH123 - hook path
        data = tomllib.load(file)
    return tuple(
        _Shape(entry["kind"], tuple(entry["near"]), entry["check"], entry["pattern"]) for entry in data["secret"]
    )


def _take_out(shape: _Shape, text: str) -> tuple[str, bool]:
    pieces: list[str] = []
    values: set[str] = set()
    place = 0
    mark = f"[secret:{shape.kind}]"
    for first, last in _between_marks(text):
        for match in compiled(shape.source).finditer(text, first, last):
            start, end = _value_span(match)
            if _CHECKS[shape.check](text[start:end]):
                pieces += [text[place:start], mark]
                values.add(text[start:end])
                place = end
    cleaned = "".join(pieces) + text[place:]
    for value in sorted(values, key=len, reverse=True)[:_MOST_REPEATED]:
        if len(value) >= _REPEATED_CHARS:  # the same value elsewhere, without its name
            cleaned = cleaned.replace(value, mark)
    return cleaned, bool(pieces)


def _between_marks(text: str) -> Iterator[tuple[int, int]]:
    """Yield what lies between the marks of earlier redactions: nothing in a mark is a secret."""
    place = 0
    for mark in compiled(_MARK).finditer(text):
        yield place, mark.start()
        place = mark.end()
    yield place, len(text)


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    for name, value in match.groupdict().items():
        if value is not None:
            return match.span(name)
    return match.span()


# --- what a value must look like ---------------------------------------------------------------------------------


def _is_shape(value: str) -> bool:
    return compiled(_PLACEHOLDER).match(value) is None


def _is_random(value: str) -> bool:
    varied = len(set(value)) >= min(10, len(value) // 2)
    return varied and _is_shape(value) and compiled(_RUN).search(value) is None


def _is_assigned(value: str) -> bool:
    """Tell whether a value looks like a password: letters with digits or signs, or letters in no word's case."""
    if len(value) < _SHORTEST_PASSWORD or not _is_shape(value) or compiled(_NOT_RANDOM).match(value):
        return False
    if value.endswith(("(", "{", "[")) or len(set(value)) <= len(value) // 8:
        return False
    value = value.rstrip(".!?:…")
    lower, upper, digit = (any(map(test, value)) for test in (str.islower, str.isupper, str.isdigit))
    signs = any(not ch.isalnum() and ch not in "_-." for ch in value)
    mixed = lower and upper and not compiled(_CAMEL).fullmatch(value)
    return (lower or upper) and (digit or signs or mixed)


def _is_token(value: str) -> bool:
    return _is_assigned(value) and not _is_made_of_words(value) and compiled(_RUN).search(value) is None


def _is_dense(value: str) -> bool:
    if not _is_token(value) or (not any(map(str.isdigit, value)) and len(value) < _LONG_RANDOM):
        return False
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values()) >= _ENTROPY


def _is_made_of_words(value: str) -> bool:
    """Tell whether the value falls into few chunks, as names do and random text does not."""
    if compiled(_UNSPEAKABLE).search(value):
        return False
    chunks = compiled(_CHUNK).findall(value)
    return sum(map(len, chunks)) >= _CHUNK_CHARS * len(chunks)


_CHECKS = {
    "shape": _is_shape,
    "random": _is_random,
    "assigned": _is_assigned,
    "token": _is_token,
    "entropy": _is_dense,
}
