"""What a file of notes becomes in the index: its entries as they stand now, each with its headings, day and lines.

Four kinds of files. A daily note, or any other below memory/, gives its entries. A *typed memory* (front matter with a
`type`, as Claude Code writes them) is one document, so that a rule is found with its reason. A *roll-up* gives the
lines that Engram wrote into it, which are no entries. What lies at the root, and the typed memories of the workspace's
own agent, is *its own*: every session of that agent may see it, and nobody else.
"""

import datetime as dt
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.config.paths import SELF_FILE_TEXT
from engram.language.dates.note_days import entry_day
from engram.language.screen.fence import lines_that_order
from engram.language.screen.secrets import redact
from engram.language.text.front_matter import split_front_matter
from engram.language.text.inert import TEMPLATE
from engram.language.text.inert import why_inert
from engram.language.text.markdown_notes import make_entry_id
from engram.language.text.markdown_notes import note_day
from engram.language.text.markdown_notes import split_note
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.note_lines import without_unread_lines
from engram.language.text.pieces import cut_text
from engram.model.conversation import NoteEntry
from engram.model.document import Document
from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.rules.notes.rollup import is_rollup
from engram.rules.notes.rollup import numbered_items
from engram.rules.notes.rollup import title_of
from engram.services.index.documents import note_document
from engram.services.index.note_files import OWN_FILES
from engram.services.index.note_list import Recipe
from engram.services.silo.folder import session_of_note
from engram.services.visibility import OWN_SCOPE

SELF: Final = "self"  # the kind of a document of the agent's own

_LINES_BESIDE: Final = 2  # before a line, and behind it, that are read with it

_TYPE = re.compile(r"^\s*type:\s*['\"]?([A-Za-z][\w-]*)", re.MULTILINE)
_NOBODYS = frozenset(SELF_FILE_TEXT.splitlines())  # lines of MEMORY.md that nobody wrote


class Maker(NamedTuple):
    """What besides a file's bytes makes its documents what they are."""

    recipe: Recipe
    apart: Mapping[str, str] = {}  # name -> scope of the sessions that are kept apart

    def documents(self, path: str, data: bytes) -> list[Document]:
        """Return the documents of a file, in the order in which they stand there.

        Lines that are no text are left out. Raises MalformedInputError when most are none.
        """
        data, _ = without_unread_lines(data)  # the heartbeat tells of them
        parts = _parts(path, data)
        withheld = lines_that_order(data.decode("utf-8-sig"), self.recipe.patterns)
        if redact(data.decode("utf-8-sig")).kinds:
            parts = [
                one._replace(text=redact(one.text).text, headings=tuple(map(_plain, one.headings))) for one in parts
            ]
        is_own = self._is_own(path, is_typed=any(one.is_memory for one in parts))
        session = None if is_own else session_of_note(path, self.recipe.agent)
        rows = [
            (part, piece)
            for part in parts
            if part.text and not (is_own and _is_nobodys(part))
            for piece in cut_text(part.text)
        ]
        seen: dict[str, int] = {}
        made = []
        for part, piece in rows:
            occurrence = seen[piece.text] = seen.get(piece.text, 0) + 1
            entry = NoteEntry(
                id=make_entry_id(path, piece.text, occurrence),
                path=path,
                heading=part.headings,
                text=piece.text,
                sha256=sha256_hex(piece.text),
                start=0,
                end=0,
                line=part.line + piece.first,
                on=part.on,
                session=session,
                scope=self.apart.get(session or "", SHARED),
                actor=Actor.AGENT if "/" in path else Actor.USER,  # a person writes MEMORY.md
            )
            document = note_document(entry, self.recipe.zone, self.recipe.patterns)
            if not withheld.isdisjoint(range(entry.line, entry.line + piece.text.count("\n") + 1)):
                document = document.model_copy(update={"trust": Trust.QUARANTINED, "live": False})
            made.append(document)
        made = _with_neighbours(made, [part.headings for part, _ in rows])
        return [one.model_copy(update={"kind": SELF, "scope": OWN_SCOPE}) for one in made] if is_own else made

    def _is_own(self, path: str, *, is_typed: bool) -> bool:
        folder, _, name = path.rpartition("/")
        if not folder:
            return True
        return folder in {"memory", f"memory/{self.recipe.agent}"} and (is_typed or name in OWN_FILES)


def _with_neighbours(made: Sequence[Document], headings: Sequence[tuple[str, ...]]) -> list[Document]:
    """Return the documents of a file, each with the ids of those around it under the same headings."""
    placed = []
    for place, one in enumerate(made):
        first = last = place
        while first and place - first < _LINES_BESIDE and headings[first - 1] == headings[place]:
            first -= 1
        while last + 1 < len(made) and last - place < _LINES_BESIDE and headings[last + 1] == headings[place]:
            last += 1
        ids = tuple(other.id for other in made[first : last + 1])
        placed.append(one.model_copy(update={"beside": ids}) if len(ids) > 1 else one)
    return placed


class _Part(NamedTuple):
    """A text of a file before it is cut."""

    line: int  # on which it begins, from 1
    headings: tuple[str, ...]
    text: str
    on: str | None = None  # its day
    is_memory: bool = False  # a typed one


def _parts(path: str, data: bytes) -> list[_Part]:
    entries = split_note(data)
    text = data.decode("utf-8-sig")
    day = note_day(path.rpartition("/")[2], text)
    if (memory := _memory_of(text, _written(day))) is not None:
        return [memory]
    days = (entry_day(entry.headings, entry.text, day) for entry in entries)
    parts = [
        _Part(entry.line, entry.headings, entry.text, _written(on)) for entry, on in zip(entries, days, strict=True)
    ]
    return sorted([*parts, *_rolled_up(text, {one.line for one in parts})]) if is_rollup(text) else parts


def _memory_of(text: str, on: str | None) -> _Part | None:
    """Return the whole of a typed memory, its name and description as its headings; None for any other file."""
    fields, body = split_front_matter(text)
    if not fields:
        return None
    above = text[: len(text) - len(body)]
    kind = _TYPE.search(above)
    named = [value for name in ("name", "description") if isinstance(value := fields.get(name), str) and value]
    if kind is None or not named:
        return None
    begin = len(body) - len(body.lstrip())
    said = body.strip()
    line = above.count("\n") + body.count("\n", 0, begin) + 1
    if not said:  # all that there is stands in the front matter
        return _Part(1, (kind[1],), ": ".join(named), on, is_memory=True)
    return _Part(line, (kind[1], *map(strip_markdown, named)), said, on, is_memory=True)


def _rolled_up(text: str, taken: set[int]) -> Iterator[_Part]:
    """Yield the lines of a roll-up that are no entries, with the day of the note that each came from."""
    title = title_of(text)
    for line, item in numbered_items(text):
        day = note_day(item.file.rpartition("/")[2], "")
        if line not in taken:
            yield _Part(line, (title, item.section), item.text, _written(day))


def _written(day: dt.date | None) -> str | None:
    return day.isoformat() if day else None


def _is_nobodys(part: _Part) -> bool:
    """Tell whether nobody has written a part of the agent's own files yet."""
    return part.text in _NOBODYS or (not part.is_memory and why_inert(part.text) == TEMPLATE)


def _plain(heading: str) -> str:
    return redact(heading).text
