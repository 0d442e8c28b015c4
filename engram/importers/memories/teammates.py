"""Teammates: the folder `.teammates/`, or that of one teammate in it.

Documented in Stevenic/teammates (.teammates/PROTOCOL.md and TEMPLATE.md, as of 2026): a teammate's folder holds
SOUL.md, WISDOM.md (principles, each under a heading of the third level) and memory/ with daily logs `YYYY-MM-DD.md`,
summaries in weekly/ and monthly/ with front matter, and typed memories `<type>_<topic>.md` with name, description and
type (user, feedback, project, reference; decisions are found too).

Our reading: every file of memory/ and WISDOM.md is kept as a note of that teammate. The description of a typed memory
is a fact: of type user or feedback about the owner, of another about the teammate. A piece of wisdom is a principle of
the teammate. SOUL.md and RESUME.md are no memory, and are left out by name; what teammates share in folders that begin
with an underscore is not looked at.
"""

from collections.abc import Iterable
from collections.abc import Iterator

from engram.importers.memories import markdown_notes
from engram.importers.memories.attribution import find_whose
from engram.importers.memories.attribution import instant_of
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import note_lines
from engram.importers.memories.items import Effect
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import SourceLine
from engram.importers.memories.items import Subject
from engram.importers.memories.items import note_name
from engram.language.text.front_matter import split_front_matter
from engram.language.text.inert import why_inert

_ROOT = ".teammates"
_WISDOM = "WISDOM.md"
_PRINCIPLE_LEVEL = 2  # headings above a principle: the title of the page, and its own
_ABOUT_OWNER = frozenset({"user", "feedback"})
_CATEGORY = {"feedback": "preference", "user": "context", "project": "status", "reference": "context"}


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield notes, typed memories and wisdom of each teammate."""
    for file in files:
        folders = [part for part in file.name.split("/")[:-1] if part != _ROOT]
        last = file.name.rpartition("/")[2]
        name = folders[0] if folders[:1] and folders[0] != "memory" else subject.source.strip(". ")
        if "memory" in folders:
            yield from markdown_notes.keep_note(file, _kept_name(file.name), agent=name)
            if _is_typed(last):
                yield from _typed(file, name, subject)
        elif last == _WISDOM:
            yield from markdown_notes.keep_note(file, _kept_name(file.name), agent=name)
            yield from _wisdom(file, name, subject)
        else:
            yield Remark(file.name, "", "it is no memory of a teammate", Effect.LEFT_OUT)


def _kept_name(name: str) -> str:
    return note_name("/".join(part for part in name.split("/") if part not in {_ROOT, "memory"}))


def _is_typed(name: str) -> bool:
    return "_" in name and name[:1].isalpha()


def _typed(file: SourceFile, name: str, subject: Subject) -> Iterator[Item]:
    try:
        fields, _ = split_front_matter(decode(note_lines(file)[0]))
    except Unreadable:
        return  # refused as a note already
    text = first_text(fields, "description") or first_text(fields, "name")
    if not text:
        yield Remark(file.name, "front matter", "it names neither description nor name: kept as a note", Effect.CHANGED)
        return
    kind = (first_text(fields, "type") or file.name.rpartition("/")[2].partition("_")[0]).casefold()
    line = SourceLine(text, 1, agent=name, is_agents=kind not in _ABOUT_OWNER)
    about = find_whose(line, subject)
    yield FactItem(
        file.name,
        "front matter",
        about.entity,
        text,
        about.title,
        category=_CATEGORY.get(kind) or category_of(kind)[0],
        abstraction="pattern",
        tags=tuple(dict.fromkeys((kind, first_text(fields, "name") or kind))),
        at=instant(first_text(fields, "updated", "created", "date"), subject.zone),
        line=line,
        by_line=line.is_agents,
    )


def _wisdom(file: SourceFile, name: str, subject: Subject) -> Iterator[Item]:
    """Yield each block below a heading of its own; what stands above the first one introduces the page."""
    for line in markdown_notes.lines_of(file, name, is_agents=True):
        if len(line.headings) < _PRINCIPLE_LEVEL or why_inert(line.text):
            continue
        about = find_whose(line, subject)
        text = f"{line.headings[-1]}: {markdown_notes.said_by(line)}"
        yield FactItem(
            file.name,
            f"line {line.number}",
            about.entity,
            text,
            about.title,
            category="decision",
            abstraction="principle",
            at=instant_of(line, subject),
            line=line,
            by_line=True,
        )


def _wants(name: str) -> bool:
    parts = name.split("/")
    if not name.casefold().endswith(".md") or any(part.startswith("_") for part in parts[:-1]):
        return False
    return "memory" in parts[:-1] or parts[-1] == _WISDOM or parts[-1] in {"SOUL.md", "RESUME.md"}


FORMAT = Format(_wants, parse, frozenset({_ROOT}))
