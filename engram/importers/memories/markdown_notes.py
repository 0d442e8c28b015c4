"""Folders of Markdown in which agents keep their memory: `MEMORY.md`, and notes by day in `memory/`.

This is the layout that OpenClaw documents (docs/concepts/memory.md): MEMORY.md, or memory.md, holds what was curated,
`memory/YYYY-MM-DD.md` the log of a day, and other files in memory/ what hooks write there.

Our reading: a statement of MEMORY.md is a fact of the category that its heading promises, written on the day of a dated
heading above it; a row of a table is read with the names of its columns. What states nothing (a template, a done item,
what is struck out) is left alone. Every file of memory/ is kept as a note, and MEMORY.md is too, so that nothing of its
order is lost.
"""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator

from engram.base.text import clean_statement
from engram.config.paths import SELF_FILE_TEXT
from engram.errors import MalformedInputError
from engram.importers.memories.attribution import find_whose
from engram.importers.memories.attribution import instant_of
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import note_lines
from engram.importers.memories.items import Effect
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import SourceLine
from engram.importers.memories.items import Subject
from engram.importers.memories.items import note_name
from engram.language.dates.note_days import entry_day
from engram.language.text.inert import why_inert
from engram.language.text.inert import without_struck
from engram.language.text.markdown_notes import note_day
from engram.language.text.markdown_notes import split_note
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.markdown_tables import are_columns
from engram.language.text.markdown_tables import row_statement
from engram.language.text.note_sections import section_category

_CURATED = frozenset({"memory.md"})  # file names, folded
_IDENTITY = "IDENTITY.md"  # in which OpenClaw's agents say who they are
_NAME = re.compile(r"\s*[-*+]\s+\*\*Name:?\*\*:?\s+([^\n]{1,60})")
_MEMORY = "memory"  # the folder of notes


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield the statements of MEMORY.md, and every note as it stands."""
    everything = list(files)
    agent = next((name for file in everything if (name := _agent_named(file))), "")
    seen: set[bytes] = set()
    for file in everything:
        if _is_curated(file.name) and file.data in seen:
            continue  # MEMORY.md and memory.md are one file where names have no case, or one is a link to the other
        seen.add(file.data)
        yield from keep_note(file, agent=agent)
        if _is_curated(file.name) and file.data != SELF_FILE_TEXT.encode():  # else nobody has written into it
            yield from statements(file, subject, agent=agent)


def is_note(name: str) -> bool:
    """Tell whether a file of that name is one of these."""
    folders, _, last = name.rpartition("/")
    return last.casefold().endswith(".md") and (_is_curated(name) or _MEMORY in folders.split("/") or not folders)


def keep_note(file: SourceFile, name: str = "", *, agent: str = "") -> Iterator[Item]:
    """Yield a file as a note, and a remark for what is no text: lines of it, or all of it."""
    file, remarks = note_lines(file)
    yield from remarks
    try:
        text = decode(file)
    except Unreadable as problem:
        yield Remark(file.name, "", str(problem))
        return
    if text.strip():
        yield NoteItem(file.name, name or note_name(file.name.removeprefix(f"{_MEMORY}/")), text, agent=agent)


def statements(file: SourceFile, subject: Subject, *, agent: str = "", abstraction: str = "episode") -> Iterator[Item]:
    """Yield each bullet, row and paragraph of a file as a fact, then a remark on those that state nothing.

    What cannot be split was refused as a note already.
    """
    left: Counter[str] = Counter()
    for line in lines_of(file, agent):
        if why := why_inert(line.text):
            left[why] += 1
            continue
        text = said_by(line)
        if not text:
            continue
        about = find_whose(line, subject)
        yield FactItem(
            file.name,
            f"line {line.number}",
            about.entity,
            text,
            about.title,
            category=section_category(line.headings) or "context",
            abstraction=abstraction,
            at=instant_of(line, subject),
            line=line,
            by_line=True,
        )
    if left:
        told = ", ".join(f"{count} {why}" for why, count in sorted(left.items()))
        yield Remark(file.name, "", f"lines that state nothing stay in the note alone: {told}", Effect.LEFT_OUT)


def lines_of(file: SourceFile, agent: str = "", *, is_agents: bool = False) -> Iterator[SourceLine]:
    """Yield the entries of a file, each with its headings, its day and its agent; none of what is no text."""
    try:
        entries = split_note(note_lines(file)[0].data)
    except MalformedInputError:
        return
    day = note_day(file.name.rpartition("/")[2], "")  # a file that is no day's own grows: its headings tell the days
    for entry in entries:
        on = entry_day(entry.headings, entry.text, day)
        yield SourceLine(entry.text, entry.line, entry.headings, on, agent, is_agents)


def said_by(line: SourceLine) -> str:
    """Return what a line says, without markup and without what is struck out; a row with the names of its columns."""
    text = without_struck(line.text)
    columns = line.headings[-1] if line.headings else ""
    if text.lstrip().startswith("|") and are_columns(columns):
        text = row_statement(text, columns, "")
    return clean_statement(" ".join(strip_markdown(part) for part in text.splitlines()))


def _agent_named(file: SourceFile) -> str:
    """Return the name that the agent's own file of identity gives it; empty for another file, or a template."""
    if file.name.rpartition("/")[2] != _IDENTITY:
        return ""
    found = (_NAME.match(line.text) for line in lines_of(file) if not why_inert(line.text))
    return next((clean_statement(strip_markdown(one[1])) for one in found if one), "")


def _is_curated(name: str) -> bool:
    return name.rpartition("/")[2].casefold() in _CURATED


FORMAT = Format(is_note, parse)
