"""Secrets by the shape of their values: found and taken out before a text is stored anywhere."""

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_kind
from engram.language.matching.literal_index import IN_WORD
from engram.language.matching.literal_index import Literals
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import compiled
from engram.language.screen import secret_values
from engram.language.text.normal_forms import words_of

# A line of a note is read again when it is recorded, when the journal is looked through, and when it is indexed.
_REMEMBERED_CHARS = 500  # of a text whose outcome is remembered: lines, not files
_MOST_REMEMBERED = 1 << 15
_REPEATED_CHARS = 8  # characters of a value that is also looked for elsewhere in the text
_MOST_REPEATED = 100  # values of one text that are looked for elsewhere
_SAMPLE_CHARS = 64  # characters of base64 that tell whether it hides a text
_WORDS = ("passwords", "near_passwords", "joins", "for")  # parts that each language has of its own
_LONG_PIECE = r"(?<![!-~])[!-~]{16,}"
_MARK = r"\[secret:[a-z0-9-]+\]"
# a token may begin after any sign, after an escaped line break, and after a percent-encoded sign
_EDGE = r"(?:(?<![A-Za-z0-9+])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str  # each secret replaced by [secret:KIND]
    kinds: tuple[str, ...]  # the kinds that were taken out, in order, each once


class _Shape(NamedTuple):
    kind: str  # what stands in the mark
    near: tuple[str, ...]  # one of them stands in every text that can match, in lower case or as it is
    check: str  # a name in _CHECKS
    source: str  # the expression
    exact: bool  # near is compared with case
    scan: bool  # a match can begin elsewhere than at one of near
    long: bool  # a match has 16 characters without a space
    tail: str  # the expression of what follows a match and has the value; empty when the match has it
    sign: str  # an expression that is quickly found, and is found in every text that can match; empty: none is needed


class _Shapes(NamedTuple):
    shapes: tuple[_Shape, ...]
    near: dict[str, list[int]]  # a word near them -> the places of those that it tells
    words: Literals  # these words as far as they can be looked for in the words of a text
    others: tuple[str, ...]  # the other ones


def redact(text: str) -> Redaction:
    """Return the text with each secret replaced by `[secret:KIND]`, and the kinds. Redacting again changes nothing."""
    return _redacted_before(text) if len(text) <= _REMEMBERED_CHARS else _redacted(text)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _redacted_before(text: str) -> Redaction:
    return _redacted(text)


def _redacted(text: str) -> Redaction:
    kinds: list[str] = []
    while True:  # taking one secret out may lay another one bare; each round takes something, so this ends
        cleaned, found = _redact_once(text)
        if not found:
            return Redaction(text, tuple(dict.fromkeys(kinds)))
        text = cleaned
        kinds += found


def marked_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets that were taken out of a text before, told by their marks, sorted, each once."""
    marks = compiled(_MARK).findall(text) if "[secret:" in text else ()
    return tuple(sorted({mark[len("[secret:") : -1] for mark in marks}))


def _redact_once(text: str) -> tuple[str, list[str]]:
    kinds: list[str] = []
    for shape in _near(text):
        text, found = _take_out(shape, text)
        kinds += [shape.kind] * found
    return text, kinds


def _near(text: str) -> Iterator[_Shape]:
    """Yield the shapes that can match a text, told by words that must stand in it; each with those that do."""
    runs = "\n".join(compiled(_LONG_PIECE).findall(text))
    if runs:
        yield from _told_by(_tokens(), runs)
    yield from (shape for shape in _told_by(_named(), _folded(text)) if runs or not shape.long)


def answers_with_secret(question: str, answer: str) -> bool:
    """Tell whether an answer is a secret by what the question names: "What's the password?" "hunter2!"."""
    low = _folded(question)
    names = {*words_of(low), *(word for word in _named().others if word in low)}
    return any(redact(f"{name.strip()}: {answer}").kinds for name in names)


def _told_by(shapes: _Shapes, text: str) -> Iterator[_Shape]:
    present = shapes.words.held_by(set(words_of(text)))
    present.update([word for word in shapes.others if word in text])
    told: dict[int, list[str]] = {}
    for word in present:
        for place in shapes.near[word]:
            told.setdefault(place, []).append(word)
    for place in sorted(told):
        shape = shapes.shapes[place]
        if not shape.sign or compiled(shape.sign).search(text):
            yield shape if shape.exact else shape._replace(near=tuple(told[place]))


def _folded(text: str) -> str:
    """Return the text in lower case, each character at its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(ch.lower()[:1] for ch in text)


@cache
def _tokens() -> _Shapes:
    """Read the shapes that need no name before them."""
    return _shapes(
        _shape(entry, entry["pattern"] if entry.get("scan") else f"{_EDGE}(?:{entry['pattern']})", exact=True)
        for entry in read_kind("secret_tokens")["token"]
    )


@cache
def _named() -> _Shapes:
    """Read the shapes that a name or a frame tells."""
    data = read_kind("secrets")
    parts = data["parts"] | {name: joined("secret_words", name) for name in _WORDS}
    tail = filled(parts["tail"], parts)
    return _shapes(
        _shape(entry | {"near": filled(entry["near"], parts)}, filled(entry["pattern"], parts), exact=False, tail=tail)
        for entry in data["secret"]
    )


def _shapes(shapes: Iterable[_Shape]) -> _Shapes:
    all_shapes = tuple(shapes)
    near: dict[str, list[int]] = {}
    for place, shape in enumerate(all_shapes):
        for word in set(shape.near):
            near.setdefault(word, []).append(place)
    words = Literals()
    words.add(filter(compiled(IN_WORD).fullmatch, near))
    others = tuple(word for word in near if not compiled(IN_WORD).fullmatch(word))
    return _Shapes(all_shapes, near, words, others)


def _shape(entry: Table, source: str, *, exact: bool, tail: str = "") -> _Shape:
    return _Shape(
        kind=entry["kind"],
        near=phrases(entry["near"]),
        check=entry["check"],
        source=source,
        exact=exact,
        scan=entry.get("scan", False),
        long=entry.get("long", False),
        tail=tail if entry.get("value_follows") else "",
        sign=entry.get("sign", ""),
    )


def _take_out(shape: _Shape, text: str) -> tuple[str, bool]:
    pieces: list[str] = []
    values: set[str] = set()
    place = 0
    mark = f"[secret:{shape.kind}]"
    for start, end in _spans(shape, text):
        pieces += [text[place:start], mark]
        values.add(text[start:end])
        place = end
    cleaned = "".join(pieces) + text[place:]
    for value in sorted(values, key=len, reverse=True)[:_MOST_REPEATED]:
        if len(value) >= _REPEATED_CHARS:  # the same value elsewhere, without its name
            cleaned = cleaned.replace(value, mark)
    return cleaned, bool(pieces)


def _spans(shape: _Shape, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the secrets of one shape stand, in order, none over another."""
    pattern, holds = compiled(shape.source), _CHECKS[shape.check]
    if shape.scan:
        for first, last in _between_marks(text):
            spans = (_value_span(match) for match in pattern.finditer(text, first, last))
            yield from ((start, end) for start, end in spans if holds(text[start:end]))
        return
    reach = 0
    for at, last in _starts(shape, text):
        match = pattern.match(text, at, last) if at >= reach else None
        if match and shape.tail:  # one expression for all names: the hook path pays for each that is compiled
            match = compiled(shape.tail).match(text, match.end(), last)
        if match:
            start, end = _value_span(match)
            if holds(text[start:end]):
                yield start, end
                reach = end
            else:  # another name may stand in what was no value; by halves, so that no text takes more than linear time
                reach = (at + match.end()) // 2


def _starts(shape: _Shape, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a match can begin, in order, and where the next mark stands."""
    searched = text if shape.exact else _folded(text)
    places = sorted({at for word in shape.near for at in _occurrences(word, searched)})
    stretches = _between_marks(text)
    first, last = next(stretches)
    for at in places:
        while at >= last and last < len(text):
            first, last = next(stretches)
        if at >= first:
            yield at, last


def _occurrences(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


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


def _is_encoded(value: str) -> bool:
    """Tell base64 of a text that holds a secret."""
    if not secret_values.reads(secret_values.decoded(value[:_SAMPLE_CHARS])):
        return False
    inner = secret_values.decoded(value)
    return secret_values.reads(inner) and bool(_redact_once(inner.decode())[1])


_CHECKS: dict[str, Callable[[str], bool]] = {
    "shape": secret_values.is_no_placeholder,
    "random": secret_values.is_random,
    "assigned": secret_values.is_assigned,
    "password": secret_values.is_password,
    "strong": secret_values.is_strong,
    "token": secret_values.is_token,
    "entropy": secret_values.is_dense,
    "mixed": secret_values.is_mixed,
    "signed": secret_values.is_signed,
    "github": secret_values.is_github_token,
    "bytes": secret_values.is_key_bytes,
    "card": secret_values.is_card_number,
    "base32": secret_values.is_one_time_seed,
    "numbered": secret_values.is_numbered,
    "userpass": secret_values.is_name_and_password,
    "encoded": _is_encoded,
}
