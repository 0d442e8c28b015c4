"""What a person meant by editing a file in life/: commands for what was changed, added or struck out.

A fact's text never changes under its id, so a line that is merely old (written before a crash, or by an earlier
version) never looks like an edit. A line or item that is gone is not a retraction: a half-written file looks the same.
"""

import json
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.mirror import ALSO
from engram.rules.mirror import CALLED
from engram.rules.mirror import EMPTY
from engram.rules.mirror import MORE
from engram.rules.mirror import NOT_LATELY
from engram.rules.mirror import NOW
from engram.rules.mirror import PRINCIPLES
from engram.rules.mirror import SUMMARY


class Edit(NamedTuple):
    """One command that an edit asks for."""

    kind: str  # write, correct, retract
    args: dict[str, Any]  # as the command takes them


class EditPlan(NamedTuple):
    """What an edited file asks for; all empty when it is only an older version of itself."""

    edits: tuple[Edit, ...] = ()
    ignored: tuple[str, ...] = ()  # sentences: what was changed but cannot become a command
    damage: str = ""  # why the file is half of one, or no such file at all

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody edited the file."""
        return not (self.edits or self.ignored or self.damage)


class EditedFile(NamedTuple):
    """A file of life/ that is not as it was written."""

    name: str  # relative to life/, such as people/anna/summary.md
    content: bytes  # as it is now
    expected: bytes  # as it would be written now
    kept_as: str  # where a copy of it is kept, relative to the workspace: the source of the new facts


def plan_edits(file: EditedFile, entity: Entity, facts: Sequence[Fact]) -> EditPlan:
    """Return what the edited summary or items file asks for, given every version of the entity's facts."""
    if damage := _damage(file):
        return EditPlan(damage=damage)
    reader = _SummaryReader if file.name.endswith(f"/{SUMMARY}") else _ItemsReader
    return reader(file, entity, facts).plan()


_BULLET: Final = re.compile(r"^\s*(?P<outer>~~)?\s*[-*+]\s+(?P<body>.*)$")
_STRUCK: Final = re.compile(r"~~[^~]+~~")
_REF: Final = re.compile(r"(?:[^\s\[\]]+/[^\s\[\]]+-)?\d{3,}")
_MAX_REF_CHARS: Final = 300  # longer brackets are text
_CATEGORIES: Final = frozenset(category.value for category in Category)
_HEADINGS: Final = frozenset({PRINCIPLES, NOW, ALSO, EMPTY})
_FIXED: Final = ("category", "confidence", "abstraction", "tags", "related", "attribute", "value")  # of one version
_DATES: Final = ("valid_from", "valid_to", "valid_from_precision", "valid_to_precision")
_NEW: Final = (*_FIXED, *_DATES)  # what a new item may bring along


def _damage(file: EditedFile) -> str:
    if not file.content.strip():
        return "it is empty"
    if file.content != file.expected and file.expected.startswith(file.content):
        return "it is only the beginning of what was written"
    try:
        text = file.content.decode()
    except UnicodeDecodeError as problem:
        return f"it is not UTF-8 text (byte {problem.start})"
    return "it holds a NUL character" if "\0" in text else ""


class _Reader:
    """What both kinds of file share: the facts by id and by statement, and how commands are made."""

    def __init__(self, file: EditedFile, entity: Entity, facts: Sequence[Fact]) -> None:
        self.file = file
        self.entity = entity
        self.facts = {fact.id: fact for fact in facts}
        self.live = {fact.fingerprint: fact for fact in facts if fact.status == Status.ACTIVE}
        self.edits: list[Edit] = []
        self.ignored: list[str] = []
        self.seen: set[str] = set()

    def ignore(self, where: str, why: str) -> None:
        self.ignored.append(f"life/{self.file.name}: {where} {why}")

    def change(self, fact: Fact, text: str, category: str, span: tuple[int, int] | None) -> None:
        """A fact stands there with another text; the category is empty where none is named."""
        if fingerprint(text) in self.live:  # said already, perhaps by this same edit before a crash
            return
        new = {"category": category} if category and category != fact.category else {}
        if fact.status == Status.ACTIVE:
            self.edits.append(Edit("correct", {"id": fact.id, "text": text, **new, "source": self.source(span)}))
        else:  # retired meanwhile: the new words are a statement of their own, and the rules find what it contradicts
            self.add({"text": text, "category": fact.category.value, **new}, span)

    def add(self, fields: Mapping[str, Any], span: tuple[int, int] | None) -> None:
        """A statement without an id stands there."""
        if fingerprint(str(fields["text"])) not in self.live:
            args = {"entity": self.entity.path, **fields, "source": self.source(span)}
            self.edits.append(Edit("write", args))

    def retract(self, fact: Fact, reason: str) -> None:
        """A fact was struck out."""
        if fact.status == Status.ACTIVE:
            self.edits.append(Edit("retract", {"id": fact.id, "reason": reason}))

    def is_second(self, fact: Fact, where: str) -> bool:
        """Tell whether the id was met before in this file, and say so."""
        if fact.id in self.seen:
            self.ignore(where, f"names {fact.id}, which stands there already")
            return True
        self.seen.add(fact.id)
        return False

    def source(self, span: tuple[int, int] | None) -> dict[str, Any]:
        start, end = span or (0, len(self.file.content))
        sha256 = sha256_hex(self.file.content[start:end])
        return {"actor": Actor.FILE.value, "path": self.file.kept_as, "start": start, "end": end, "sha256": sha256}


class _Line(NamedTuple):
    """One line of a summary."""

    number: int  # from 1
    start: int  # first byte in the file
    text: str  # without its line break
    is_torn: bool  # the last line, without a line break: it may be half of one


class _SummaryReader(_Reader):
    """Reads summary.md line by line."""

    def plan(self) -> EditPlan:
        written = frozenset(self.file.expected.decode().splitlines())
        changed = []
        for line in _lines(self.file.content):
            if line.text.rstrip() not in written:
                changed.append(line)
            elif fact := self.find(_split_tail(line.text)[2]):
                self.seen.add(fact.id)
        for line in changed:
            if line.text.strip():
                self.read(line)
        return EditPlan(tuple(self.edits), tuple(self.ignored))

    def read(self, line: _Line) -> None:
        bullet = _BULLET.match(line.text)
        where = f"line {line.number}"
        if bullet is None:
            if not (line.is_torn or _is_furniture(line.text)):
                self.ignore(where, "is neither a bullet nor part of the summary, so it became no fact")
            return
        body = bullet["body"].strip()
        is_struck = bool(bullet["outer"]) or _is_wrapped(body)
        text, category, ref = _split_tail(body.strip("~").strip() if is_struck else body)
        fact = self.find(ref)
        left = clean_statement(_STRUCK.sub(" ", text))
        if fact is not None and clean_statement(text) == fact.text and not is_struck:
            self.check_category(fact, category, where)
        elif is_struck or (text.strip() and not left):
            self.read_struck(text.replace("~~", " "), ref, where)
        elif ref:
            self.read_changed(ref, left, category, _span(line, text), where)
        elif not (line.is_torn and self.is_beginning(line.text)):
            self.read_new(left, category, _span(line, text), where)

    def find(self, ref: str) -> Fact | None:
        return self.facts.get(ref) or self.facts.get(f"{self.entity.path}-{ref}") if ref else None

    def check_category(self, fact: Fact, category: str, where: str) -> None:
        self.seen.add(fact.id)
        if category and category != fact.category:
            self.ignore(where, f"gives {fact.id} another category; write the fact anew to change that")

    def read_struck(self, text: str, ref: str, where: str) -> None:
        fact = self.find(ref) if ref else self.live.get(fingerprint(clean_statement(text)))
        if fact is None:
            self.ignore(where, "strikes out something that is no fact here")
        elif not self.is_second(fact, where):
            self.retract(fact, f"struck out in life/{self.file.name}")

    def read_changed(self, ref: str, statement: str, category: str, span: tuple[int, int], where: str) -> None:
        fact = self.find(ref)
        if fact is None:
            self.ignore(where, f"names [{ref}], which is no fact of {self.entity.path}")
        elif not statement:
            self.ignore(where, f"leaves {fact.id} without text; strike a line out with ~~ to retract it")
        elif not self.is_second(fact, where):
            self.change(fact, statement, category, span)

    def read_new(self, statement: str, category: str, span: tuple[int, int], where: str) -> None:
        if statement:
            self.add({"text": statement, "category": category or Category.CONTEXT.value}, span)
        else:
            self.ignore(where, "is an empty bullet")

    def is_beginning(self, line: str) -> bool:
        """Tell whether the line is what a crash may have left of the line of a fact that stands nowhere else."""
        lost = (f"- {fact.text} (" for fact in self.facts.values() if fact.id not in self.seen)
        return any(whole.startswith(line) or line.startswith(whole) for whole in lost)


class _ItemsReader(_Reader):
    """Reads items.json item by item."""

    def plan(self) -> EditPlan:
        try:
            whole = json.loads(self.file.content)
        except (ValueError, RecursionError) as problem:
            return EditPlan(damage=f"it is not valid JSON: {problem}")
        items = whole.get("facts") if isinstance(whole, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            return EditPlan(damage='it has no list of objects under "facts"')
        for number, item in enumerate(items, 1):
            self.read(item, f"item {number}")
        return EditPlan(tuple(self.edits), tuple(self.ignored))

    def read(self, item: dict[str, Any], where: str) -> None:
        text, fact_id = item.get("text"), item.get("id")
        if not isinstance(text, str) or not clean_statement(text):
            self.ignore(where, "has no text")
        elif fact_id in (None, ""):
            fields = {key: item[key] for key in _NEW if item.get(key) is not None}
            self.add({**fields, "text": clean_statement(text)}, self.span(text))
        elif not isinstance(fact_id, str) or fact_id not in self.facts:
            self.ignore(where, f"has the id {fact_id!r}, which is no fact of {self.entity.path}; leave the id out")
        elif not self.is_second(self.facts[fact_id], where):
            self.read_known(item, self.facts[fact_id], clean_statement(text), where)

    def read_known(self, item: dict[str, Any], fact: Fact, text: str, where: str) -> None:
        if item.get("status") == Status.RETRACTED and fact.status == Status.ACTIVE:
            reason = item.get("reason")
            given = reason if isinstance(reason, str) and reason.strip() else f"retracted in life/{self.file.name}"
            self.retract(fact, given)
        elif text != fact.text:
            self.change(fact, text, str(item.get("category") or ""), self.span(text))
        stored = fact.model_dump(mode="json", include=set(_FIXED))
        taken_along = {"category"} if text != fact.text else set()
        for key in _FIXED:
            if key in item and item[key] != stored[key] and key not in taken_along:
                self.ignore(where, f"gives {fact.id} another {key}; write the fact anew to change that")

    def span(self, text: str) -> tuple[int, int] | None:
        raw = text.encode(errors="surrogatepass")
        start = self.file.content.find(raw)
        return None if start < 0 else (start, start + len(raw))


def _lines(content: bytes) -> Iterator[_Line]:
    start = 0
    raw_lines = content.split(b"\n")
    for number, raw in enumerate(raw_lines, 1):
        is_last = number == len(raw_lines)
        yield _Line(number, start, raw.decode().removesuffix("\r"), is_torn=is_last)
        start += len(raw) + 1


def _split_tail(body: str) -> tuple[str, str, str]:
    """Return (text, category, short id); what looks like the marks of a line but is not stays in the text."""
    text, category, ref = body, "", ""
    before, bracket, inside = body.removesuffix("]").rpartition("[")
    if body.endswith("]") and bracket and len(inside) <= _MAX_REF_CHARS and _REF.fullmatch(inside):
        text, ref = before.rstrip(), inside
    before, bracket, inside = text.removesuffix(")").rpartition("(")
    first = inside.split(",")[0].strip()
    if text.endswith(")") and bracket and first in _CATEGORIES:
        text, category = before.rstrip(), first
    return text, category, ref


def _is_wrapped(body: str) -> bool:
    return len(body) > 4 and body.startswith("~~") and body.endswith("~~") and "~~" not in body[2:-2]


def _span(line: _Line, text: str) -> tuple[int, int]:
    begin = line.text.index(text)
    start = line.start + len(line.text[:begin].encode())
    return start, start + len(text.encode())


def _is_furniture(text: str) -> bool:
    """Tell whether the line is of the kind that a summary has around its facts, in any version of it."""
    line = text.strip().lstrip("\ufeff")
    return line in _HEADINGS or line.startswith(("# ", CALLED)) or line.endswith((NOT_LATELY, MORE))
