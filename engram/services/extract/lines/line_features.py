"""What a line looks like to the judge: its words, the words of its headings, its form, its signal. Pure.

A feature is a short name with a number. Names are hashed (CRC-32) where weights are looked up, so that the weights hold
no text. Words of one language say nothing about another; the form does.
"""

import functools
import math
import re
from collections.abc import Iterator
from typing import Final

from engram.language.compare.updates.change_words import announces_change
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
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
_MARKS: Final = {"ok": "✅☑✔", "bad": "❌⚠🔴🚨", "waits": "⏳🔄⌛"}
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
    text = line.text[:READ_CHARS]
    features: dict[str, float] = {}
    said = set(_words(text))
    weight = 1 / math.sqrt(max(8, len(said)))
    features |= {f"t:{word}": 2 * weight for word in said}
    if line.source in {"user", "named"}:
        features |= {f"u:{word}": weight for word in said if word[0] in "wc"}
    for place, heading in enumerate(list(reversed(line.headings))[:_MOST_HEADINGS]):
        words = [word for word in set(_words(heading[:_HEADING_CHARS])) if word[0] != "b"]
        share = 1 / math.sqrt(max(3, len(words)))
        for word in words:
            name = f"{'g' if place else 'h'}:{word}"
            features[name] = max(features.get(name, 0.0), share)
    label = _LEADING_LABEL.match(text)
    features |= {f"l:{word}": 0.5 for word in _words(label[1]) if word[0] != "b"} if label else {}
    tokens = _tokens(text)
    features |= {f"s:{tokens[0]}": 0.5} if tokens else {}
    features |= {f"s2:{tokens[0]} {tokens[1]}": 0.5} if len(tokens) > 1 else {}
    return features | {f"@{name}": value for name, value in _form(line, text) if value}


def kind_features(line: Line) -> dict[str, float]:
    """Return what words of a kind ("decided", "prefers") stand in a line or above it, besides `line_features`."""
    said = kinds_said(line.text[:READ_CHARS])
    above = _kinds_above(line.headings[-_NEAREST:])
    names = [f"says {kind}" for kind in said] + [f"says {kind} in {line.source}" for kind in said]
    names += [f"begins {kind}" for kind in kinds_said(line.text[:_BEGINNING])] + [f"under {kind}" for kind in above]
    return {f"@{name}": 1.0 for name in names}


@functools.lru_cache(maxsize=1024)  # many lines stand below the same headings
def _kinds_above(headings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(kinds_said(" / ".join(heading[:_HEADING_CHARS] for heading in headings)))


def _form(line: Line, text: str) -> Iterator[tuple[str, float]]:
    """Yield what can be seen without reading the words."""
    length = len(text)
    plain = {
        "loglen": math.log(length + 1) / 5,
        "short": float(length < 25),
        "very short": float(length < 12),
        "long": float(length > 220),
        "digits": float(any(ch.isdigit() for ch in text)),
        "digit share": 3 * sum(ch.isdigit() for ch in text) / max(1, length),
        "code": float("`" in text),
        "code share": sum(map(len, _CODE.findall(text))) / max(1, length),
        "bold": float(bool(_BOLD.match(text)) or line.lead.endswith("**")),
        "colon": float(":" in text[:50] or "：" in text[:40]),
        "ends in colon": float(text.rstrip("*_ ").endswith((":", "："))),
        "question": float(_QUESTION.search(text) is not None),
        "asks": float(bool(line.speaker) and asks_for_something(text)),
        "exclaims": float(text.endswith(("!", "！"))),
        "done": float("[x]" in line.lead.casefold()),
        "to do": float("[ ]" in line.lead),
        "arrow": float("→" in text or "->" in text),
        "path": float(_PATH.search(text) is not None),
        "address": float("http" in text),
        "first": float(compiled(joined("lines", "first")).search(text) is not None),
        "clock": float(_CLOCK.search(text) is not None),
        "tells a change": float(announces_change(text)),
        "capitals": sum(word[:1].isupper() for word in text.split()) / max(1, len(text.split())),
        "begins": float(line.is_first),
        "depth": len(line.headings) / 4,
        "no heading": float(not line.headings and not line.speaker),
        "machine": float(line.is_machine),
        "breaks": line.line_breaks / 20,
        line.kind: 1.0,
        f"from {line.source}": 1.0,
        f"signal {line.grade}": 1.0,
        **{f"signal {line.grade} {category}": 1.0 for category in line.signals},
        **{name: float(any(ch in text for ch in marks)) for name, marks in _MARKS.items()},
        "file first": float(_FILE_FIRST.match(text) is not None),
        **_promises(line),
    }
    yield from plain.items()
    for name in _CROSSED:
        yield f"{name} in {line.source}", plain.get(name, 0.0)


def _promises(line: Line) -> dict[str, float]:
    """Return what the headings promise of a note's line, and what the outer ones do."""
    found: dict[str, float] = {}
    for place, heading in enumerate([one for one in reversed(line.headings) if not are_columns(one)][:_MOST_HEADINGS]):
        kind = "nothing" if takes_promise_back(heading) else section_category((heading,))
        if kind:
            found[f"{'above' if place else 'below'} {kind}"] = 1.0
    return found


def _words(text: str) -> Iterator[str]:
    """Yield words (w), pairs of words (b), beginnings of long words (p), Korean stems and endings (k, e), signs (c)."""
    last = "^"
    for word in _tokens(text):
        if _HAN.search(word):
            for place, sign in enumerate(word):
                yield f"c{sign}"
                if place:
                    yield f"c{word[place - 1 : place + 1]}"
            last = "H"
            continue
        yield f"w{word}"
        is_korean = "\uac00" <= word[0] <= "\ud7a3"
        if (len(word) > _LONG_WORD or not word.isascii()) and len(word) > 3:
            yield f"p{word[: 4 if is_korean else 5]}"
        if is_korean:
            yield f"k{word[:2]}"
            yield f"e{word[-2:]}"
        yield f"b{last} {word}"
        last = word
    yield f"b{last} $"


def _tokens(text: str) -> list[str]:
    """Return the words of a text; a number is only how long it is."""
    folded = text.casefold().replace("ё", "е")
    return [f"#{min(len(word), 5)}" if word[0].isdigit() else word for word in _TOKEN.findall(folded)]
