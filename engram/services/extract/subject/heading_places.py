"""Whom the headings above a line name, the innermost first, and what stands around each name. Pure."""

import functools
import re
from collections.abc import Mapping
from typing import Final

from engram.language.names.persons import is_person
from engram.language.names.spans import HANDLE
from engram.language.names.spans import PROPER
from engram.language.names.spans import NameSpan
from engram.language.names.spans import heading_topics
from engram.language.text.markdown_tables import are_columns
from engram.services.extract.lines.evidence import HEADING
from engram.services.extract.lines.evidence import before_name
from engram.services.extract.lines.evidence import names_in

Place = tuple[str, str, int, str, Mapping[str, float], int]  # name, origin, place, form, features, start

POSSESSIVE: Final = frozenset({"'s", "’s"})
MOST_HEADINGS: Final = 4  # innermost first
_WORD = re.compile(r"[^\W_]+")


@functools.lru_cache(maxsize=1024)  # many lines stand below the same headings
def heading_places(headings: tuple[str, ...]) -> tuple[Place, ...]:
    """Return each place where a name stands in headings, given outermost first."""
    listed = [heading for heading in reversed(headings) if not are_columns(heading)]
    return tuple(
        found
        for place, heading in enumerate(listed[:MOST_HEADINGS])
        for found in _places_in(heading, place, is_outermost=place == len(listed) - 1)
    )


@functools.lru_cache(maxsize=1024)
def _places_in(heading: str, place: int, *, is_outermost: bool) -> tuple[Place, ...]:
    topics = heading_topics(heading)
    common = {
        "outermost": float(is_outermost),
        "innermost": float(not place),
        f"topics {min(len(topics), 4)}": 1.0,
    }
    found: list[Place] = []
    for number, topic in enumerate(topics):
        own = {
            f"topic{min(number, 2)}": 1.0,
            "whole": float(number == 0),
            "topic words": min(len(topic.split()), 6) / 6,
        }
        own |= {f"t {word}": 1.0 for word in dict.fromkeys(_WORD.findall(topic.casefold()))}
        found.append((topic, HEADING, place, "topic", {**common, **own}, 0))
    heading_words = {f"h {word}": 1.0 for word in dict.fromkeys(_WORD.findall(heading.casefold()))}
    for number, span in enumerate(names_in(heading)):
        own = {"share": len(span.name) / max(1, len(heading)), "first name": float(number == 0)}
        own |= {"owner of it": float(_owns_more(heading, span)), "company": float(_is_company(heading, span))}
        found.append((span.name, HEADING, place, span.form, {**common, **heading_words, **own}, 0))
    return tuple(found)


def _owns_more(heading: str, span: NameSpan) -> bool:
    """Tell whether a heading names a person only as whose something is: "Routing rules (Anna's directive)"."""
    return heading[span.end : span.end + 2] in POSSESSIVE and is_person(heading, span.name)


def _is_company(heading: str, span: NameSpan) -> bool:
    """Tell whether a heading only mentions a name: "Session (with Anna)", "Trip with Anna", "Handed to @anna".

    Measured on marked notes: such a known name was whom the lines below are about in 2 of 58, their agent in half.
    """
    before = heading[: span.start]
    words = _WORD.findall(before.casefold())
    if not words or span.form not in {PROPER, HANDLE}:
        return False
    is_inside = any(before.count(opening) > before.count(closing) for opening, closing in ("()", "（）"))
    return is_inside or span.form == HANDLE or f"b {words[-1]}" in before_name("means")
