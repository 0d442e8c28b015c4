"""What a statement takes back, by the files in patterns/corrections: "no, ...", "not Tuesday but Thursday"."""

import re
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.near_index import NearIndex
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

_KIND = "corrections"

MAX_CHARS = 400  # a longer statement tells a story

_MOST_LEADS = 3  # "no wait, actually, I meant"
_ALIKE = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "ё": "е", "Ё": "Е"})  # one for one
_EDGES = " ,.;:!，。；：！"


class Correction(NamedTuple):
    """A statement that takes something back."""

    text: str  # the statement as it was said
    statement: str  # without what leads to it: "no, the limit is 64" states that the limit is 64
    wrong: str = ""  # what it says is not so; empty when it does not say it
    right: str = ""  # what is so in its place; empty when nothing is told apart
    before: str = ""  # what stands before both: empty for a bare "not Tuesday but Thursday"
    behind: str = ""  # what stands behind both
    sure: bool = True  # it can only be meant as a correction; else it may say something new


class _Rules(NamedTuple):
    """The rules of all languages."""

    leads: tuple[tuple[str, bool], ...]  # expression, whether it is sure
    leads_near: NearIndex
    contrasts: tuple[str, ...]  # expressions
    contrasts_near: NearIndex


@lru_cache(maxsize=4096)  # asked when a command is read, and when it is decided
def read_correction(text: str) -> Correction | None:
    """Return what a statement takes back; None when nothing in it says that it does.

    Linear in the length of the text; longer ones than `MAX_CHARS` take nothing back.
    """
    if len(text) > MAX_CHARS:
        return None
    plain = text.translate(_ALIKE)
    start, led, sure = _leads(plain)
    found = _contrast(plain, start)
    if found is None:
        if not led or not text[start:].strip(_EDGES):
            return None
        return Correction(text, text[start:].strip(), sure=sure)
    wrong, right = (text[slice(*found.span(side))].strip(_EDGES) for side in ("wrong", "right"))
    before, behind = text[start : found.start()], text[found.end() :]
    begins = found.start("wrong") < found.start("right") and not before.strip(f" {_EDGES}")
    return Correction(text, text[start:].strip(), wrong, right, before, behind, sure=sure or begins)


def _leads(plain: str) -> tuple[int, bool, bool]:
    """Return where the statement begins behind what leads to it, whether anything does, and whether that is sure."""
    start, led, sure = 0, False, False
    for _ in range(_MOST_LEADS):
        rules = _load()
        near = (rules.leads[place] for place in rules.leads_near.places_in(plain[start:].casefold()))
        matches = ((is_sure, compiled(source).match(plain, start)) for source, is_sure in near)
        found = next(((is_sure, match.end()) for is_sure, match in matches if match and match.end() > start), None)
        if found is None:
            break
        led, sure, start = True, sure or found[0], found[1]
    return start, led, sure


def _contrast(plain: str, start: int) -> re.Match[str] | None:
    rules = _load()
    near = (rules.contrasts[place] for place in rules.contrasts_near.places_in(plain[start:].casefold()))
    return next((match for source in near if (match := compiled(source).search(plain, start))), None)


class Bare(NamedTuple):
    """Statements that consist of what is right alone, as a group `right`, in every language."""

    patterns: tuple[re.Pattern[str], ...]
    reply: re.Pattern[str]  # what is `right` only by its form: thanks, sorry


@cache
def load_bare() -> Bare:
    """Read the expressions of bare statements once."""
    rows = _entries("bare")
    patterns = tuple(compiled(_any_case(Pattern(one))) for one in rows)
    return Bare(patterns, compiled(f"(?i:{'|'.join(one['reply'] for one in rows)})"))


@cache
def _load() -> _Rules:
    """Read the files of every language once."""
    leads = [(Pattern(entry), bool(entry["sure"])) for entry in _entries("lead")]
    contrasts = [Pattern(entry) for entry in _entries("contrast")]
    return _Rules(
        tuple((_any_case(lead), is_sure) for lead, is_sure in leads),
        NearIndex([lead.near for lead, _ in leads]),
        tuple(map(_any_case, contrasts)),
        NearIndex([one.near for one in contrasts]),
    )


def _any_case(pattern: Pattern) -> str:
    return f"(?i:{pattern.source})"


def _entries(table: str) -> list[Table]:
    return [entry for data in read_languages(_KIND).values() for entry in data[table]]
