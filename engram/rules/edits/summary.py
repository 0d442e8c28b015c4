"""What a person meant by editing a summary.md: line by line, each under the heading where it stands."""

import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.model.entity import Entity
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.vocabulary import Precision
from engram.rules.edits.reader import CATEGORIES
from engram.rules.edits.reader import CHANGEABLE
from engram.rules.edits.reader import EditedFile
from engram.rules.edits.reader import EditPlan
from engram.rules.edits.reader import Reader
from engram.rules.life.mirror import CALLED
from engram.rules.life.mirror import EMPTY
from engram.rules.life.mirror import REST
from engram.rules.life.mirror import UNSURE
from engram.rules.life.mirror import heading_of
from engram.rules.life.shelves import PRINCIPLES
from engram.rules.life.shelves import SHELVES
from engram.rules.life.shelves import Shelf
from engram.rules.life.shelves import shelf_of

_BULLET: Final = re.compile(r"^\s*(?P<outer>~~)?\s*[-*+]\s+(?P<body>.*)$")
_STRUCK: Final = re.compile(r"~~[^~]+~~")
_REF: Final = re.compile(r"(?:[^\s\[\]]+/[^\s\[\]]+-)?\d{3,}")
_MAX_REF_CHARS: Final = 300  # longer brackets are text
_SHELVES: Final = {heading_of(shelf): shelf for shelf in SHELVES}
_HEADINGS: Final = frozenset({*_SHELVES, "## Now", "## Also known", EMPTY})  # those of older summaries too
_REST_LINE: Final = re.compile(rf"(?:{REST}\d+ (?:more|facts?)\b|Nothing here was used lately: |{UNSURE})")
_DAY: Final = r"(?:week of )?\d{4}(?:-\d\d){0,2}"  # see `temporal.written_day`
_DATED: Final = re.compile(rf"{_DAY}(?: to {_DAY})?")


_MARKS: Final = re.compile(r"\((?P<marks>[^()]*)\)\s*(?:\[[^\[\]]*\])?\s*(?:~~)?\s*$")
_PRECISIONS: Final = (Precision.YEAR, Precision.MONTH, Precision.DAY)  # by how many hyphens a date has


class _Line(NamedTuple):
    """One line of a summary."""

    number: int  # from 1
    start: int  # first byte in the file
    text: str  # without its line break
    shelf: Shelf | None  # under whose heading it stands; None: under none, or under one that is no shelf's
    is_torn: bool  # the last line, without a line break: it may be half of one


class SummaryReader(Reader):
    """Reads summary.md line by line."""

    def __init__(self, file: EditedFile, entity: Entity, facts: Sequence[Fact]) -> None:
        """Take the file, and every version of the entity's facts."""
        super().__init__(file, entity, facts)
        self.dates: dict[str, tuple[str, str]] = {}  # id -> beginning and end as they were written

    def plan(self) -> EditPlan:
        """Return what the file asks for."""
        written = {line.text: line.shelf for line in _lines(self.file.expected)}
        for text in written:
            fact, dates = self._find(_split_tail(text)[2]), _dates_of(text)
            if fact is not None and dates is not None:
                self.dates[fact.id] = dates
        changed = []
        for line in _lines(self.file.content):
            text = line.text.rstrip()
            if text not in written:
                changed.append(line)
            elif fact := self._find(_split_tail(text)[2]):
                self.seen.add(fact.id)
                if line.shelf != written[text]:
                    self._read_moved(fact, line, f"line {line.number}")
        for line in changed:
            if line.text.strip():
                self._read(line)
        return EditPlan(tuple(self.edits), tuple(self.ignored))

    def _read(self, line: _Line) -> None:
        bullet = _BULLET.match(line.text)
        where = f"line {line.number}"
        if bullet is None:
            if not (line.is_torn or _is_furniture(line.text)):
                self.ignore(where, "is neither a bullet nor part of the summary, so it became no fact")
            return
        body = bullet["body"].strip()
        is_struck = bool(bullet["outer"]) or _is_wrapped(body)
        text, category, ref = _split_tail(body.strip("~").strip() if is_struck else body)
        fact = self._find(ref)
        left = clean_statement(_STRUCK.sub(" ", text))
        if fact is not None and clean_statement(text) == fact.text and not is_struck:
            self._read_same(fact, category, line, where)
        elif is_struck or (text.strip() and not left):
            self._read_struck(text.replace("~~", " "), ref, where)
        elif ref:
            self._read_changed(ref, left, category, line, text)
        elif not (line.is_torn and self._is_beginning(line.text)):
            self._read_new(left, category or _category_on(line.shelf), _span(line, text), where)

    def _find(self, ref: str) -> Fact | None:
        return self.facts.get(ref) or self.facts.get(f"{self.entity.path}-{ref}") if ref else None

    def _read_same(self, fact: Fact, category: str, line: _Line, where: str) -> None:
        """A fact stands there in its own words: perhaps as one of another category, or in another place."""
        self.seen.add(fact.id)
        self._read_dates(fact, line, where)
        if not category or category == fact.category:
            self._read_moved(fact, line, where)
        elif fact.status == Status.ACTIVE:
            self.recategorise(fact, category, _span(line, fact.text))
        else:
            self.ignore(where, f"gives {fact.id} another category, and it is {fact.status}")

    def _read_dates(self, fact: Fact, line: _Line, where: str) -> None:
        """A fact stands there in its own words, perhaps with other dates."""
        before, after = self.dates.get(fact.id), _dates_of(line.text)
        if before is None or after is None or before == after or fact.status not in CHANGEABLE:
            return
        if end := self._new_end(fact, line):
            self.date(fact, end, _span(line, fact.text))
        elif before[1] and not after[1]:
            self.ignore(where, f"takes the end of {fact.id} away; write it as a line of its own to say it without one")

    def _new_end(self, fact: Fact, line: _Line) -> dict[str, str]:
        """Return the end that somebody gave a fact, as `correct` takes it; empty when it is the one it had, or none."""
        before, after = self.dates.get(fact.id), _dates_of(line.text)
        if before is None or after is None or not after[1] or before[1] == after[1]:
            return {}
        return end_as_said(after[1])

    def _read_moved(self, fact: Fact, line: _Line, where: str) -> None:
        """A fact stands there under some heading; one of an older summary is of no kind, nor is one of a person's."""
        before = shelf_of(fact, self.facts)
        if line.shelf is None or line.shelf == before or fact.status != Status.ACTIVE:
            return
        if PRINCIPLES in {line.shelf, before}:
            how = "write it anew with --abstraction to change that"
            self.ignore(where, f"moves {fact.id} {'from' if before == PRINCIPLES else 'to'} the principles; {how}")
        else:
            self.recategorise(fact, _category_on(line.shelf), _span(line, fact.text))

    def _read_struck(self, text: str, ref: str, where: str) -> None:
        fact = self._find(ref) if ref else self.live.get(fingerprint(clean_statement(text)))
        if fact is None:
            self.ignore(where, "strikes out something that is no fact here")
        elif not self.is_second(fact, where):
            self.retract(fact, f"struck out in life/{self.file.name}")

    def _read_changed(self, ref: str, statement: str, category: str, line: _Line, text: str) -> None:
        fact, where = self._find(ref), f"line {line.number}"
        if fact is None:
            self.ignore(where, f"names [{ref}], which is no fact of {self.entity.path}")
        elif not statement:
            self.ignore(where, f"leaves {fact.id} without text; strike a line out with ~~ to retract it")
        elif not self.is_second(fact, where):
            is_moved = line.shelf is not None and line.shelf != shelf_of(fact, self.facts)
            moved_to = _category_on(line.shelf) if is_moved and category in {"", fact.category} else ""
            given = moved_to or category
            new = {"category": given} if given and given != fact.category else {}
            self.change(fact, statement, {**new, **self._new_end(fact, line)}, _span(line, text), where)

    def _read_new(self, statement: str, category: str, span: tuple[int, int], where: str) -> None:
        if statement:
            self.add({"text": statement, "category": category or Category.CONTEXT.value}, span)
        else:
            self.ignore(where, "is an empty bullet")

    def _is_beginning(self, line: str) -> bool:
        """Tell whether the line is what a crash may have left of the line of a fact that stands nowhere else."""
        lost = (f"- {fact.text} (" for fact in self.facts.values() if fact.id not in self.seen)
        return any(whole.startswith(line) or line.startswith(whole) for whole in lost)


def _lines(content: bytes) -> Iterator[_Line]:
    start = 0
    shelf: Shelf | None = None
    raw_lines = content.split(b"\n")
    for number, raw in enumerate(raw_lines, 1):
        is_last = number == len(raw_lines)
        text = raw.decode().removesuffix("\r")
        shelf = _SHELVES.get(text.strip()) if text.startswith("#") else shelf
        yield _Line(number, start, text, shelf, is_torn=is_last)
        start += len(raw) + 1


def _category_on(shelf: Shelf | None) -> str:
    """Return the category of what somebody puts on a shelf; "" where the place says nothing."""
    return shelf.categories[0].value if shelf is not None and shelf.categories else ""


def _split_tail(body: str) -> tuple[str, str, str]:
    """Return (text, category, short id); what looks like the marks of a line but is not stays in the text."""
    text, category, ref = body, "", ""
    before, bracket, inside = body.removesuffix("]").rpartition("[")
    if body.endswith("]") and bracket and len(inside) <= _MAX_REF_CHARS and _REF.fullmatch(inside):
        text, ref = before.rstrip(), inside
    before, bracket, inside = text.removesuffix(")").rpartition("(")
    first = inside.split(",")[0].strip()
    if text.endswith(")") and bracket and (first in CATEGORIES or (ref and _DATED.fullmatch(first))):
        text, category = before.rstrip(), first if first in CATEGORIES else ""
    return text, category, ref


def _dates_of(line: str) -> tuple[str, str] | None:
    """Return the beginning and the end in the marks of a line, as they stand there; None when it has no marks."""
    marks = _MARKS.search(line)
    if marks is None:
        return None
    dated = next((mark for mark in map(str.strip, marks["marks"].split(",")) if _DATED.fullmatch(mark)), None)
    if dated is None:
        return None
    begin, _, end = dated.partition(" to ")
    return begin, end


def end_as_said(end: str) -> dict[str, str]:
    """Return an end as `correct` takes it: its day, and the unit in which it was said."""
    day = end.removeprefix("week of ")
    precision = Precision.WEEK if day != end else _PRECISIONS[day.count("-")]
    return {"valid_to": f"{day}-01-01"[: len("2026-01-01")], "valid_to_precision": precision.value}


def _is_wrapped(body: str) -> bool:
    return len(body) > 4 and body.startswith("~~") and body.endswith("~~") and "~~" not in body[2:-2]


def _span(line: _Line, text: str) -> tuple[int, int]:
    begin = line.text.index(text)
    start = line.start + len(line.text[:begin].encode())
    return start, start + len(text.encode())


def _is_furniture(text: str) -> bool:
    """Tell whether the line is of the kind that a summary has around its facts, in any version of it."""
    line = text.strip().lstrip("\ufeff")
    return line in _HEADINGS or line.startswith(("# ", CALLED)) or _REST_LINE.match(line) is not None
