"""Where a line's own sentence names somebody, and what the words around each name say of its part in it. Pure."""

import functools
import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.names.adverbs import is_title
from engram.language.names.spans import PROPER
from engram.language.names.spans import NameSpan
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import names_in
from engram.services.extract.lines.line import Line
from engram.services.extract.subject.heading_places import POSSESSIVE
from engram.services.extract.subject.heading_places import Place

_KIND: Final = "lines"
_LONGEST_PROPERTY = 60  # characters before a name: "The deadline of "
_WORD = re.compile(r"[^\W_]+")
# A day, a time or a number before what a line says: "2026-02-13 — ", "**14:20** - ", "3) ". It is no word of it.
_NUMBERED = re.compile(r"[\W_]{0,6}(?:\d[\d.:/-]{0,15}[ \t]{0,2}[—–.):：|*-]{1,6}[ \t]{0,4}){1,3}")


def iter_text_places(line: Line, mentions: Sequence[tuple[int, int]]) -> Iterator[Place]:
    """Yield each name of a line in order; `mentions` are where it names entities that are known."""
    named = [NameSpan(start, end, line.text[start:end], PROPER) for start, end in mentions]
    spans = [span for span in {*names_in(line.text), *named} if line.speaker or not _is_the_user(line.text, span)]
    for number, span in enumerate(sorted(spans)):
        number_before = _NUMBERED.match(line.text, 0, span.start)
        begun = number_before.end() if number_before else 0
        before = _WORD.findall(line.text[begun : span.start].casefold())
        before = before[:-1] if before and is_title(before[-1]) else before
        after = _WORD.findall(line.text[span.end : span.end + 40].casefold())
        own = {
            "begins": float(not before),
            "second": float(0 < len(before) <= 2),
            "property": float(_has_property(line.text, span)),
            "late": min(len(before), 12) / 12,
            "first name": float(number == 0),
            f"b {before[-1] if before else '^'}": 1.0,
            f"a {after[0] if after else '$'}": 1.0,
            "lead": float(_is_lead(line.text, span)),
            "possessive": float(line.text[span.end : span.end + 2] in POSSESSIVE),
            **_use(before),
        }
        yield span.name, TEXT, min(len(before), 4), span.form, own, span.start


def _use(before: Sequence[str]) -> dict[str, float]:
    """Return what the words before a name say of its part: what is used, or what that is for ("use X for Y")."""
    used, purposes = _words_of("used"), _words_of("purposes")
    if not before:
        return {}
    return {
        "used": float(before[-1] in used),
        "purpose": float(before[-1] in purposes and any(word in used for word in before[:-1])),
    }


def _is_the_user(text: str, span: NameSpan) -> bool:
    """Tell whether a word is no name, but means whom an agent works for: "User asked", "Пользователь попросил"."""
    return span.form == PROPER and expression(_KIND, "user", "(?i:%s)").match(text, span.start) is not None


def _has_property(text: str, span: NameSpan) -> bool:
    """Tell whether a statement begins with a property of what a name stands for: "The deadline of Lantern is ..."."""
    before = text[: span.start]
    return (
        len(before) <= _LONGEST_PROPERTY
        and expression(_KIND, "property", r"(?i:\W{0,6}(?:%s))").fullmatch(before) is not None
    )


def _is_lead(text: str, span: NameSpan) -> bool:
    """Tell whether a name stands before a colon or dash at the beginning: "**Lantern:** moves to May"."""
    return span.start <= 4 and re.match(r"[*_`]{0,3}\s?(?:[:：]|[—–-]\s)", text[span.end : span.end + 6]) is not None


@functools.cache
def _words_of(which: str) -> frozenset[str]:
    return frozenset(phrases(joined(_KIND, which)))
