"""What reading an edited summary and an edited items file have in common: the commands that an edit asks for."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.write_command import WriteCommand
from engram.model.write_command import WriteSource

CATEGORIES: Final = frozenset(category.value for category in Category)
CHANGEABLE: Final = frozenset({Status.ACTIVE, Status.CANDIDATE})  # what a person may change or take back


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

    def change(self, fact: Fact, text: str, category: str, span: tuple[int, int] | None) -> None:
        """A fact stands there with another text; the category is empty where none is named."""
        if fingerprint(text) in self.live:  # said already, perhaps by this same edit before a crash
            return
        new = {"category": category} if category and category != fact.category else {}
        if fact.status in CHANGEABLE:
            self.edits.append(
                Edit("correct", {"id": fact.id, "text": text, **new, "source": self.source(span).as_args()})
            )
        else:  # retired meanwhile: the new words are a statement of their own, and the rules find what it contradicts
            self.add({"text": text, "category": fact.category.value, **new}, span)

    def recategorise(self, fact: Fact, category: str, span: tuple[int, int] | None) -> None:
        """A fact stands there as one of another category, which is a new version of it."""
        args = {"id": fact.id, "text": fact.text, "category": category, "source": self.source(span).as_args()}
        self.edits.append(Edit("correct", args))

    def add(self, fields: Mapping[str, Any], span: tuple[int, int] | None) -> None:
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

    def source(self, span: tuple[int, int] | None) -> WriteSource:
        """Return the source of a new fact: bytes of the kept copy, all of them when no span is known."""
        start, end = span or (0, len(self.file.content))
        sha256 = sha256_hex(self.file.content[start:end])
        return WriteSource(Actor.FILE, path=self.file.kept_as, start=start, end=end, sha256=sha256)
