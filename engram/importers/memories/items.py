"""What a reader finds in another memory: statements, entities, notes, turns, and remarks on what it could not take.

Every item of the source becomes one of these; a reader that cannot take something says so with a `Remark`.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from engram.base.clock import to_iso


class SourceFile(NamedTuple):
    """One file of the source."""

    name: str  # relative to what was named on the command line, with forward slashes
    data: bytes


class Subject(NamedTuple):
    """What a reader has to know of the workspace."""

    owner: str  # path of the entity that statements without a subject are about
    zone: dt.tzinfo  # of times that name none
    source: str = ""  # name of the file or folder that is imported


class Effect(StrEnum):
    """What a remark is about."""

    REFUSED = "refused"  # it is not in the store
    LEFT_OUT = "left out"  # it is no memory, so it is not in the store on purpose
    CHANGED = "changed"  # it is in the store, but not quite as it stood


class Remark(NamedTuple):
    """Something in the source that is not in the store just as it stood."""

    file: str
    place: str  # where in the file: "item 3", "line 7"; empty for the whole file
    reason: str  # one sentence
    effect: Effect = Effect.REFUSED


class SourceLine(NamedTuple):
    """One line of a source with all that stood around it: what tells whom it is about, and when it was written."""

    text: str  # as it stands, markup included
    number: int  # from 1
    headings: tuple[str, ...] = ()  # above it, outermost first
    on: dt.date | None = None  # its own day: its time stamp, else a dated heading above it, else the file's
    agent: str = ""  # name of the agent whose memory it is; empty when the source names none
    is_agents: bool = False  # the file says of itself that it is about its agent


class FactItem(NamedTuple):
    """One statement of the source."""

    file: str
    place: str
    entity: str  # entity path here
    text: str
    title: str | None = None  # title for the entity when it is made
    category: str = "context"
    confidence: float = 0.7
    abstraction: str = "episode"
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()  # entity paths here
    attribute: str | None = None
    value: str | None = None
    scope: str = "shared"
    written_by: str = ""  # who wrote it there, in words, where that is to be kept
    trust: str = ""  # how far the source believed it; never more than an import is believed
    is_persons: bool = False  # whoever imports it said it, and says so
    waits: bool = False  # the source never believed it: a candidate, or one that was rejected
    at: dt.datetime | None = None  # when the source recorded it
    valid_from: dt.datetime | None = None
    valid_to: dt.datetime | None = None
    precisions: tuple[str, str] = ("day", "day")  # the units in which the two were said
    key: str = ""  # the source's own id, unique in the whole source; empty when it has none
    is_past: bool = False  # the source holds it for superseded, or took it back
    why_past: str = ""  # why, when nothing took its place
    follower: str = ""  # key of the item that took its place; empty when the source does not say
    uses: int = 0  # how often the source counted a use of it
    used_at: dt.datetime | None = None  # the last of them
    is_pinned: bool = False
    line: SourceLine | None = None  # that it was read from; None when the source has other units than lines
    by_line: bool = False  # the source names nobody that it is about: its line tells
    content: tuple[object, ...] = ()  # what the source said, when something else was made of it; see `content_of`


class EntityItem(NamedTuple):
    """An entity that the source names, with or without statements about it."""

    file: str
    place: str
    path: str  # entity path here
    title: str
    aliases: tuple[str, ...] = ()


class NoteItem(NamedTuple):
    """A text that is kept as a file in memory/."""

    file: str
    name: str  # file name, unique in the source; see `note_name`
    text: str
    session: str = ""  # slug of the session that alone may see it; empty: everybody may
    agent: str = ""  # name of the agent whose note it is; empty when the source names none
    home: str = ""  # path of the entity that it belongs to where it names nobody
    home_title: str = ""  # for when that has to be made


class TurnItem(NamedTuple):
    """Something that was said or done, kept as a captured turn."""

    file: str
    place: str
    session: str
    text: str
    ref: str | None = None  # the source's own id
    speaker: str | None = None
    at: dt.datetime | None = None


Item = FactItem | EntityItem | NoteItem | TurnItem | Remark


class Format(NamedTuple):
    """One format that can be imported. A file that is named itself is read whatever it is called."""

    wants: Callable[[str], bool]  # whether a file of that name is read when a folder is named
    parse: Callable[[Iterable[SourceFile], Subject], Iterator[Item]]
    folders: frozenset[str] = frozenset()  # hidden folders that are looked into
    beside: tuple[str, ...] = ()  # endings behind its whole name of files that belong to one that is named itself


def content_of(item: FactItem) -> tuple[object, ...]:
    """Return what makes a statement the same when its source is read again.

    What the source itself has a name for is the same under other labels.
    """
    if item.content:
        return item.content
    what: tuple[object, ...] = (item.entity, item.text)
    if not item.key:
        what += (item.category, item.confidence, item.abstraction, item.tags, item.related, item.scope)
        what += tuple(to_iso(one) if one else None for one in (item.at, item.valid_from, item.valid_to))
    return what


def is_called(name: str, words: Iterable[str], endings: tuple[str, ...]) -> bool:
    """Tell whether a file's own name holds one of the words and has one of the endings, both folded."""
    last = name.rpartition("/")[2].casefold()
    return last.endswith(endings) and any(word in last for word in words)


def note_name(name: str) -> str:
    """Return the name under which a note of the source is kept: its folders joined to it with dashes.

    One folder deep, so that a folder of the source is never taken for a session of the workspace.
    """
    parts = [part for part in name.split("/") if part.strip(". ")]
    return "-".join(part.lstrip(".") for part in parts)
