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
_SENTENCE_END = re.compile(r"[.!?…]\s+|[。！？；]")


class Correction(NamedTuple):
    """A statement that takes something back."""

    text: str  # the statement as it was said
    statement: str  # without what leads to it: "no, the limit is 64" states that the limit is 64
    wrong: str = ""  # what it says is not so; empty when it does not say it
    right: str = ""  # what is so in its place; empty when nothing is told apart
    before: str = ""  # what stands before both, or says of what they are: empty for a bare "not Tuesday but Thursday"
    behind: str = ""  # what stands behind both
    sure: bool = True  # it can only be meant as a correction; else it may say something new
    breaks: bool = False  # whoever says so breaks off: a value of the same kind, and nothing else, can only be meant so
    earlier: str = ""  # sentences before that of the correction

    @property
    def is_meant(self) -> bool:
        """Whether a bare value behind what leads to it can only be meant as a correction."""
        return self.sure or self.breaks


class _Lead(NamedTuple):
    """What stands before a correction."""

    source: str  # the expression
    sure: bool  # see `Correction`
    breaks: bool


class _Rules(NamedTuple):
    """The rules of all languages."""

    tails: tuple[str, ...]  # expressions
    tails_near: NearIndex

    leads: tuple["_Lead", ...]
    leads_near: NearIndex
    contrasts: tuple[str, ...]  # expressions
    contrasts_near: NearIndex
    heard: tuple[str, ...]  # expressions
    heard_near: NearIndex


@lru_cache(maxsize=4096)  # asked when a command is read, and when it is decided
def read_correction(text: str) -> Correction | None:
    """Return what a statement takes back; None when nothing in it says that it does.

    Linear in the length of the text; longer ones than `MAX_CHARS` take nothing back.
    """
    if len(text) > MAX_CHARS:
        return None
    plain = text.translate(_ALIKE)
    start, leads = _leads(plain)
    end = _end_before_tail(plain, start)
    sure, breaks = any(one.sure for one in leads) or end < len(text), any(one.breaks for one in leads)
    statement = text[start:end].strip()
    found = _contrast(plain[:end], start)
    if found is None:
        if not (leads or end < len(text)) or not statement.strip(_EDGES):
            return None
        return Correction(text, statement, sure=sure, breaks=breaks)
    first, begin = start, _sentence_start(plain, start, found.start())
    if begin > start:
        begun, more = _leads(plain, begin)
        start, sure = min(begun, found.start()), sure or any(one.sure for one in more)
        statement = text[start:end].strip()
    wrong, right, of = (_side(text, found, side) for side in ("wrong", "right", "of"))
    before, behind = text[start : found.start()], text[found.end() : end]
    begins = bool(wrong) and found.start("wrong") < found.start("right") and not before.strip(f" {_EDGES}")
    before = f"{before} {of} " if of else before
    earlier = text[first:begin].strip()
    return Correction(text, statement, wrong, right, before, behind, sure=sure or begins, earlier=earlier)


def _sentence_start(plain: str, start: int, end: int) -> int:
    """Return where the last sentence begins that begins in a stretch of a text; its start when none does.

    From whom somebody has it is a sentence of its own: "had a call with Marta: the demo is on ...".
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(plain, start, end)]
    begin = ends[-1] if ends else start
    rules = _load()
    near = (rules.heard[place] for place in rules.heard_near.places_in(plain[begin:end].casefold()))
    return next((match.end() for one in near if (match := compiled(one).match(plain, begin, end))), begin)


def _side(text: str, found: re.Match[str], name: str) -> str:
    """Return a part of what was found, without signs around it; "" when the expression has no such part."""
    return text[slice(*found.span(name))].strip(_EDGES) if found.groupdict().get(name) else ""


def _leads(plain: str, start: int = 0) -> tuple[int, list[_Lead]]:
    """Return where the statement begins behind what leads to it from `start` on, and what does."""
    led = list[_Lead]()
    rules = _load()
    for _ in range(_MOST_LEADS):
        near = (rules.leads[place] for place in rules.leads_near.places_in(plain[start:].casefold()))
        matches = ((lead, compiled(lead.source).match(plain, start)) for lead in near)
        found = next(((lead, match.end()) for lead, match in matches if match and match.end() > start), None)
        if found is None:
            break
        led.append(found[0])
        start = found[1]
    return start, led


def _end_before_tail(plain: str, start: int) -> int:
    """Return where a statement ends before words that only say that something was wrong: "..., I got that wrong"."""
    rules = _load()
    near = (rules.tails[place] for place in rules.tails_near.places_in(plain[start:].casefold()))
    return min(
        (match.start() for tail in near if (match := compiled(tail).search(plain, start + 1))), default=len(plain)
    )


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
    entries = _entries("lead")
    leads = [Pattern(entry) for entry in entries]
    contrasts = [Pattern(entry) for entry in _entries("contrast")]
    tails = [Pattern(entry) for entry in _entries("tail")]
    heard = [Pattern(entry) for entry in _entries("heard")]
    return _Rules(
        tuple(map(_any_case, tails)),
        NearIndex([one.near for one in tails]),
        tuple(
            _Lead(_any_case(lead), entry["sure"], entry.get("breaks", False))
            for lead, entry in zip(leads, entries, strict=True)
        ),
        NearIndex([lead.near for lead in leads]),
        tuple(map(_any_case, contrasts)),
        NearIndex([one.near for one in contrasts]),
        tuple(map(_any_case, heard)),
        NearIndex([one.near for one in heard]),
    )


def _any_case(pattern: Pattern) -> str:
    return f"(?i:{pattern.source})"


def _entries(table: str) -> list[Table]:
    return [entry for data in read_languages(_KIND).values() for entry in data.get(table, ())]
