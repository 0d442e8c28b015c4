"""What reading an edited summary and an edited items file have in common: the commands that an edit asks for."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status

CATEGORIES: Final = frozenset(category.value for category in Category)
CHANGEABLE: Final = frozenset({Status.ACTIVE, Status.CANDIDATE})  # what a person may change or take back


Span = tuple[int, int] | None
"""First byte of a statement in its file and one past the last; None when that is not known."""


class Edit(NamedTuple):
    """One command that an edit asks for."""

    kind: str  # write, correct, retract, confirm
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


class Reader:
    """What both kinds of file share: the facts by id and by statement, and how commands are made."""

    def __init__(self, file: EditedFile, entity: Entity, facts: Sequence[Fact]) -> None:
        """Take the file, and every version of the entity's facts."""
        self.file = file
        self.entity = entity
        self.facts = {fact.id: fact for fact in facts}
        self.live = {fact.fingerprint: fact for fact in facts if fact.status == Status.ACTIVE}
        self.edits: list[Edit] = []
        self.ignored: list[str] = []
        self.seen: set[str] = set()

    def ignore(self, where: str, why: str) -> None:
        """Note what was changed and cannot become a command."""
        self.ignored.append(f"life/{self.file.name}: {where} {why}")

    def change(self, fact: Fact, text: str, new: Mapping[str, str], span: Span, where: str) -> None:
        """A fact stands there with another text; `new` is what else the person changed, such as its category.

        Where the words are those of another fact that is live, the changed one gives way to it. A fact that was retired
        meanwhile is not fought over without a person: what it became and the edit stand in a tension.
        """
        said = self.live.get(fingerprint(text))
        source = self.source(span)
        if said is not None and said.id == fact.id:
            self.ignore(where, f"says the same as {fact.id} in other letters")
        elif fact.status in CHANGEABLE:
            self.edits.append(Edit("correct", {"id": fact.id, "text": text, **new, "source": source.as_args()}))
        elif said is not None:
            return  # said already, perhaps by this same edit before a crash
        elif (now := self._successor(fact)) is None:
            self.ignore(where, f"changes {fact.id}, which is {fact.status}; write it as a line of its own to say it")
        else:
            fields = {"category": fact.category.value, **new, "disputes": [now.id]}
            command = WriteCommand(entity=self.entity.path, text=text, source=source, **fields)  # type: ignore[arg-type]
            self.edits.append(Edit("write", command.as_args()))

    def _successor(self, fact: Fact) -> Fact | None:
        """Return the live fact that a retired one became; None when it was taken back or lies elsewhere."""
        seen: set[str] = set()
        here: Fact | None = fact
        while here is not None and here.status != Status.ACTIVE and here.id not in seen:
            seen.add(here.id)
            here = self.facts.get(here.superseded_by or "")
        return here if here is not None and here.status == Status.ACTIVE else None

    def date(self, fact: Fact, end: Mapping[str, str], span: Span) -> None:
        """A fact stands there with another end, which is a new version of it."""
        args = {"id": fact.id, "text": fact.text, **end, "source": self.source(span).as_args()}
        self.edits.append(Edit("correct", args))

    def recategorise(self, fact: Fact, category: str, span: Span) -> None:
        """A fact stands there as one of another category, which is a new version of it."""
        args = {"id": fact.id, "text": fact.text, "category": category, "source": self.source(span).as_args()}
        self.edits.append(Edit("correct", args))

    def add(self, fields: Mapping[str, Any], span: Span) -> None:
        """A statement without an id stands there."""
        if fingerprint(str(fields["text"])) not in self.live:
            command = WriteCommand(entity=self.entity.path, source=self.source(span), **fields)
            self.edits.append(Edit("write", command.as_args()))

    def retract(self, fact: Fact, reason: str) -> None:
        """A fact was struck out."""
        if fact.status in CHANGEABLE:
            self.edits.append(Edit("retract", {"id": fact.id, "reason": reason}))

    def is_second(self, fact: Fact, where: str) -> bool:
        """Tell whether the id was met before in this file, and say so."""
        if fact.id in self.seen:
            self.ignore(where, f"names {fact.id}, which stands there already")
            return True
        self.seen.add(fact.id)
        return False

    def source(self, span: Span) -> WriteSource:
        """Return the source of a new fact: bytes of the kept copy, all of them when no span is known."""
        start, end = span or (0, len(self.file.content))
        sha256 = sha256_hex(self.file.content[start:end])
        return WriteSource(Actor.FILE, path=self.file.kept_as, start=start, end=end, sha256=sha256)
