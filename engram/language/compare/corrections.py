"""What a statement takes back, by the files in patterns/corrections: "no, ...", "not Tuesday but Thursday"."""

import re
from functools import cache
from functools import lru_cache
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.table_files import read_table
from engram.language import PATTERNS

_FILES = Path(PATTERNS, "corrections")

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


class _Lead(NamedTuple):
    near: tuple[str, ...]
    source: str  # compiled when one of the words is near: a hook reads one message
    sure: bool


class _Contrast(NamedTuple):
    near: tuple[str, ...]
    source: str  # as above


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


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
        lowered = plain[start:].casefold()
        matches = (
            (lead, _compiled(lead.source).match(plain, start))
            for lead in _load()[0]
            if any(near in lowered for near in lead.near)
        )
        found = next(((lead, match.end()) for lead, match in matches if match and match.end() > start), None)
        if found is None:
            break
        led, sure, start = True, sure or found[0].sure, found[1]
    return start, led, sure


def _contrast(plain: str, start: int) -> re.Match[str] | None:
    lowered = plain[start:].casefold()
    contrasts = (one for one in _load()[1] if any(near in lowered for near in one.near))
    return next((match for one in contrasts if (match := _compiled(one.source).search(plain, start))), None)


class Bare(NamedTuple):
    """Statements that consist of what is right alone, as a group `right`, in every language."""

    patterns: tuple[re.Pattern[str], ...]
    reply: re.Pattern[str]  # what is `right` only by its form: thanks, sorry


@cache
def load_bare() -> Bare:
    """Read the expressions of bare statements once."""
    rows = [one for data in _read_files() for one in data["bare"]]
    reply = "|".join(one["reply"] for one in rows)
    return Bare(tuple(re.compile(one["pattern"], re.IGNORECASE) for one in rows), re.compile(reply, re.IGNORECASE))


@cache
def _read_files() -> tuple[dict[str, Any], ...]:
    return tuple(read_table(path) for path in sorted(_FILES.glob("*.toml")))


@cache
def _load() -> tuple[tuple[_Lead, ...], tuple[_Contrast, ...]]:
    """Read the files of every language once."""
    files = _read_files()
    leads = tuple(
        _Lead(tuple(one["near"].split()), one["pattern"], one["sure"]) for data in files for one in data["lead"]
    )
    contrasts = tuple(
        _Contrast(tuple(one["near"].split()), one["pattern"]) for data in files for one in data["contrast"]
    )
    return leads, contrasts
