"""What a line looks like to the judge: its words, the words of its headings, its form, its signal. Pure.

A feature is a short name with a number. Names are hashed (CRC-32) where weights are looked up, so that the weights hold
no text. Words of one language say nothing about another; the form does.
"""

import functools
import math
import re
from collections.abc import Mapping
from collections.abc import Sequence
from operator import add
from typing import Final

from engram.language.compare.updates.change_words import announces_change
from engram.language.matching.patterns import expression
from engram.language.signal.kind_words import kinds_said
from engram.language.text.markdown_tables import are_columns
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.language.text.talk.requests import asks_for_something
from engram.services.extract.lines.line import Line

READ_CHARS: Final = 600  # of a line
_HEADING_CHARS = 120
_MOST_HEADINGS = 3  # innermost first
_BEGINNING = 40  # characters of a line that say best of what kind it is
_NEAREST = 2  # headings that do
_LONG_WORD = 6  # characters; a longer word counts by its beginning, too
_HAN = re.compile("[\u3400-\u9fff]")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_LEADING_LABEL = re.compile(r"\W*([^:：\n]{2,30})[:：]")
_BOLD = re.compile(r"\W{0,4}\*\*")
_QUESTION = re.compile(r"[?？][\s\"'»”)*_]*$")
_CLOCK = re.compile(r"(?<![\d:.])\d{1,2}(?::\d\d(?![\d:])| ?[ap]\.?m\b)", re.IGNORECASE)
_PATH = re.compile(r"[\w~.]+/[\w./-]+")
_FILE_FIRST = re.compile(  # `src/press.py`: what was changed in it
    r"\W{0,4}[\w.@~-]{0,60}(?:[\w/-]{1,60}/[\w./-]{0,60}|\.[a-z]{1,4})(?:[`*]|\(\))*(?=\s*(?:$|[—–:,(+]|--? ))"
)
_CODE = re.compile("`[^`]*`")
_MARKS: Final = (("ok", "✅☑✔"), ("bad", "❌⚠🔴🚨"), ("waits", "⏳🔄⌛"))
_CROSSED: Final = (
    "loglen",
    "digits",
    "code",
    "first",
    "clock",
    "tells a change",
    "question",
    "asks",
    "sentence",
    "begins",
)


def line_features(line: Line) -> dict[str, float]:
    """Return the features of a line by name."""
    text, source = line.text[:READ_CHARS], line.source
    tokens = _tokens(text)
    features = dict.fromkeys(_words(tokens, "t:"), 0.0)
    weight = 1 / math.sqrt(max(8, len(features)))
    features = dict.fromkeys(features, 2 * weight)
    if source in {"user", "named"}:
        features |= {f"u:{name[2:]}": weight for name in features if name[2] in "wc"}
    for place, heading in enumerate(line.headings[: -_MOST_HEADINGS - 1 : -1]):
        words = _words_above(heading[:_HEADING_CHARS])
        share = 1 / math.sqrt(max(3, len(words)))
        kind = "g" if place else "h"
        for word in words:
            name = f"{kind}:{word}"
            features[name] = max(features.get(name, 0.0), share)
    label = _LEADING_LABEL.match(text)
    features |= {f"l:{word}": 0.5 for word in _words(_tokens(label[1])) if word[0] != "b"} if label else {}
    features |= {f"s:{tokens[0]}": 0.5} if tokens else {}
    features |= {f"s2:{tokens[0]} {tokens[1]}": 0.5} if len(tokens) > 1 else {}
    return features | _form(line, text, source)


def kind_features(line: Line) -> dict[str, float]:
    """Return what words of a kind ("decided", "prefers") stand in a line or above it, besides `line_features`."""
    said = kinds_said(line.text[:READ_CHARS])
    begins = said if len(line.text) <= _BEGINNING else kinds_said(line.text[:_BEGINNING])
    names = [f"@says {kind}" for kind in said] + [f"@says {kind} in {line.source}" for kind in said]
    names += [f"@begins {kind}" for kind in begins]
    names += [f"@under {kind}" for kind in _kinds_above(line.headings[-_NEAREST:])]
    return dict.fromkeys(names, 1.0)


@functools.lru_cache(maxsize=1024)  # many lines stand below the same headings
def _kinds_above(headings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(kinds_said(" / ".join(heading[:_HEADING_CHARS] for heading in headings)))


def _form(line: Line, text: str, source: str) -> dict[str, float]:
    """Return what can be seen without reading the words, by name; what is not so is left out."""
    length, digits, words = len(text), sum(map(str.isdigit, text)), text.split()
    has_code = "`" in text
    plain = {
        "loglen": math.log(length + 1) / 5,
        "short": float(length < 25),
        "very short": float(length < 12),
        "long": float(length > 220),
        "digits": float(digits > 0),
        "digit share": 3 * digits / max(1, length),
        "code": float(has_code),
        "code share": sum(map(len, _CODE.findall(text))) / max(1, length) if has_code else 0.0,
        "bold": float(bool(_BOLD.match(text)) or line.lead.endswith("**")),
        "colon": float(":" in text[:50] or "：" in text[:40]),
        "ends in colon": float(text.rstrip("*_ ").endswith((":", "："))),
        "question": float(("?" in text or "？" in text) and _QUESTION.search(text) is not None),
        "asks": float(bool(line.speaker) and asks_for_something(text)),
        "exclaims": float(text.endswith(("!", "！"))),
        "done": float("[x]" in line.lead.casefold()),
        "to do": float("[ ]" in line.lead),
        "arrow": float("→" in text or "->" in text),
        "path": float("/" in text and _PATH.search(text) is not None),
        "address": float("http" in text),
        "first": float(expression("lines", "first").search(text) is not None),
        "clock": float(digits > 0 and _CLOCK.search(text) is not None),
        "tells a change": float(announces_change(text)),
        "capitals": sum([word[0].isupper() for word in words]) / max(1, len(words)),
        "begins": float(line.is_first),
        "depth": len(line.headings) / 4,
        "no heading": float(not line.headings and not line.speaker),
        "machine": float(line.is_machine),
        "breaks": line.line_breaks / 20,
        line.kind: 1.0,
        f"from {source}": 1.0,
        f"signal {line.grade}": 1.0,
        **{f"signal {line.grade} {category}": 1.0 for category in line.signals},
        **({} if text.isascii() else {name: float(any(map(text.__contains__, marks))) for name, marks in _MARKS}),
        "file first": float(_FILE_FIRST.match(text) is not None),
        **_promises(line.headings),
    }
    crossed = {f"@{name} in {source}": plain[name] for name in _CROSSED if plain.get(name)}
    return {f"@{name}": value for name, value in plain.items() if value} | crossed


@functools.lru_cache(maxsize=1024)  # many lines stand below the same headings
def _promises(headings: tuple[str, ...]) -> Mapping[str, float]:
    """Return what the headings promise of a note's line, and what the outer ones do."""
    found: dict[str, float] = {}
    for place, heading in enumerate([one for one in reversed(headings) if not are_columns(one)][:_MOST_HEADINGS]):
        kind = "nothing" if takes_promise_back(heading) else section_category((heading,))
        if kind:
            found[f"{'above' if place else 'below'} {kind}"] = 1.0
    return found


@functools.lru_cache(maxsize=1024)
def _words_above(heading: str) -> tuple[str, ...]:
    """Return what `_words` finds in a heading, each once and no pairs of words."""
    return tuple(dict.fromkeys(word for word in _words(_tokens(heading)) if word[0] != "b"))


def _words(tokens: Sequence[str], kind: str = "") -> list[str]:
    """Return words (w), pairs of words (b), beginnings of long words (p), Korean stems and endings (k, e), signs (c).

    Behind the kind of feature that they are, where one is given.
    """
    found: list[str] = []
    last = "^"
    for word in tokens:
        own, is_han = _of_word(word, kind)
        found += own
        if is_han:
            last = "H"
            continue
        found.append(f"{kind}b{last} {word}")
        last = word
    return [*found, f"{kind}b{last} $"]


@functools.lru_cache(maxsize=16_384)  # words come again and again
def _of_word(word: str, kind: str) -> tuple[tuple[str, ...], bool]:
    """Return what `_words` finds in a word by itself, and whether it holds a Chinese sign."""
    if not word.isascii() and _HAN.search(word):
        pairs = ["", *map(add, word, word[1:])]
        return tuple(f"{kind}c{found}" for both in zip(word, pairs, strict=True) for found in both if found), True
    found = [f"{kind}w{word}"]
    is_korean = "\uac00" <= word[0] <= "\ud7a3"
    if (len(word) > _LONG_WORD or not word.isascii()) and len(word) > 3:
        found.append(f"{kind}p{word[: 4 if is_korean else 5]}")
    if is_korean:
        found += [f"{kind}k{word[:2]}", f"{kind}e{word[-2:]}"]
    return tuple(found), False


def _tokens(text: str) -> list[str]:
    """Return the words of a text; a number is only how long it is."""
    folded = text.casefold().replace("ё", "е")
    return [f"#{min(len(word), 5)}" if word[0].isdigit() else word for word in _TOKEN.findall(folded)]
