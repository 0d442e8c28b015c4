"""What `write` asks for, as every door builds it. No pydantic: the hook path passes here.

Nothing is checked here: the command may hold whatever a line of JSON held. `services.commands.writes.write` reads it
strictly.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any
from typing import NamedTuple

LIST_FIELDS = frozenset({"tags", "related", "supersedes", "disputes", "derived_from"})


class WriteSource(NamedTuple):
    """Where the statement comes from; the fields are those of `model.fact.Source`, None where it is not known."""

    actor: str  # who says it
    session: str | None = None  # session name
    path: str | None = None  # file, relative to the workspace
    start: int | None = None  # first byte of the span in that file
    end: int | None = None  # one past the last byte
    sha256: str | None = None  # of the bytes of the span
    label: str | None = None  # what the writer called it
    turn: str | None = None  # turn id

    def as_args(self) -> dict[str, Any]:
        """Return what is known, as plain JSON."""
        return {name: _plain(value) for name, value in self._asdict().items() if value is not None}


class WriteCommand(NamedTuple):
    """The arguments of `write`; the fields are those of `model.fact.Draft`. None and empty: nobody said it."""

    entity: str  # path, title or alias
    text: str  # one statement
    source: WriteSource
    category: str | None = None
    attribute: str | None = None  # name of a slot
    value: str | None = None  # what stands in the slot
    confidence: float | None = None  # 0 to 1
    abstraction: str | None = None
    tags: Sequence[str] = ()
    related: Sequence[str] = ()  # entity paths
    valid_from: str | None = None  # a day or an instant; one without a zone is in that of the workspace
    valid_to: str | None = None
    valid_from_precision: str | None = None  # the unit in which that was said
    valid_to_precision: str | None = None
    supersedes: Sequence[str] = ()  # fact ids that this one replaces
    disputes: Sequence[str] = ()  # fact ids that exclude this one, and stay: somebody has to settle it
    derived_from: Sequence[str] = ()  # ids of the facts and observations it was made of
    trust: str | None = None  # None: decided from the actor
    scope: str | None = None  # None: that of the session it is said in
    create: bool = False  # make the entity when it is unknown
    title: str | None = None  # title for the entity when it is made
    corrects: bool = False  # what it replaces never held
    said_as: str | None = None  # how it was said where the text leaves out what led to it
    candidate: bool = False  # unsure: it waits
    undoable: bool = False  # written by hand: `undo` can take it back

    def as_args(self) -> dict[str, Any]:
        """Return what was said, as plain JSON: the same command from whichever door it comes."""
        given = {**self._asdict(), "source": self.source.as_args()}
        return {name: _plain(value) for name, value in given.items() if not self._is_unsaid(name, value)}

    def _is_unsaid(self, name: str, value: object) -> bool:
        is_empty_list = isinstance(value, list | tuple) and not value
        return value is None or is_empty_list or value is self._field_defaults.get(name)


def _plain(value: object) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.value if isinstance(value, Enum) else value
