"""Whom the headings above a line name, the innermost first, and what stands around each name. Pure."""

import re
from collections.abc import Iterator
from collections.abc import Sequence
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

Place = tuple[str, str, int, str, dict[str, float], int]  # name, origin, place, form, features, start

POSSESSIVE: Final = frozenset({"'s", "’s"})
MOST_HEADINGS: Final = 4  # innermost first
_WORD = re.compile(r"[^\W_]+")


def iter_heading_places(headings: Sequence[str]) -> Iterator[Place]:
    """Yield each place where a name stands in headings, given outermost first."""
    listed = [heading for heading in reversed(headings) if not are_columns(heading)]
    for place, heading in enumerate(listed[:MOST_HEADINGS]):
        common = {"outermost": float(place == len(listed) - 1), "innermost": float(not place)}
        yield from _in_heading(heading, place, common)


def _in_heading(heading: str, place: int, common: dict[str, float]) -> Iterator[Place]:
    topics = heading_topics(heading)
    heading_words = {f"h {word}": 1.0 for word in set(_WORD.findall(heading.casefold()))}
    common = common | {f"topics {min(len(topics), 4)}": 1.0}
    for number, topic in enumerate(topics):
        own = {
            f"topic{min(number, 2)}": 1.0,
            "whole": float(number == 0),
            "topic words": min(len(topic.split()), 6) / 6,
        }
        own |= {f"t {word}": 1.0 for word in set(_WORD.findall(topic.casefold()))}
        yield topic, HEADING, place, "topic", {**common, **own}, 0
    for number, span in enumerate(names_in(heading)):
        own = {"share": len(span.name) / max(1, len(heading)), "first name": float(number == 0)}
        own |= {"owner of it": float(_owns_more(heading, span)), "company": float(_is_company(heading, span))}
        yield span.name, HEADING, place, span.form, {**common, **heading_words, **own}, 0


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
