"""Sessions, turns and note entries: the raw text that facts are drawn from."""

from typing import Literal

from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.model.value import Instant
from engram.model.value import Value


class Session(Value):
    """A silo: one conversation or chat."""

    name: str  # a slug, or agent/session
    platform: str | None = None  # telegram, claude-code, ...
    external_id: str | None = None  # the platform's own id
    created_at: Instant
    kind: Literal["personal", "group"] | None = None  # kept apart: all that is said in it stays in it; None: open
    project: str | None = None  # path of the entity that it is held about: where the agent works; None: not known
    project_title: str | None = None  # as its folder is written


class Turn(Value):
    """One utterance of a captured conversation."""

    id: str  # turn/<32 hex>: made of session, speaker, time, text, ref and occurrence, so capture is exactly-once
    session: str
    ref: str | None = None  # the id that the document was captured under
    speaker: str | None = None
    at: Instant | None = None  # when it was said
    text: str
    ordinal: int  # place in its session, from 0
    path: str | None = None  # file it was captured from, relative to the workspace when inside it
    scope: str = SHARED
    trust: Trust = Trust.UNVERIFIED
    redactions: tuple[str, ...] = ()  # kinds of secrets taken out


class NoteEntry(Value):
    """One block of a daily note (a bullet, a paragraph, a table row), as it stood when it was read."""

    id: str  # note/<32 hex>: made of the note's path and the entry's text and occurrence
    path: str  # of the note, relative to the workspace
    heading: tuple[str, ...] = ()  # headings above it, outermost first
    text: str  # the entry, markup included, byte for byte (secrets taken out)
    sha256: str  # of the entry's bytes in the file
    start: int  # first byte in the file when it was read
    end: int  # one past the last byte
    line: int  # first line, from 1
    on: str | None = None  # the note's day, YYYY-MM-DD
    session: str | None = None
    scope: str = SHARED
    actor: Actor = Actor.AGENT


class Watermark(Value):
    """What a named consumer has finished."""

    consumer: str  # extraction, index, ...
    key: str  # a file, a session, or "*"
    value: str  # consumer's own mark
