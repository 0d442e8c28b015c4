"""Folders of Markdown in which agents keep their memory: `MEMORY.md`, and notes by day in `memory/`.

This is the layout that OpenClaw documents (docs/concepts/memory.md): MEMORY.md, or memory.md, holds what was curated,
`memory/YYYY-MM-DD.md` the log of a day, and other files in memory/ what hooks write there.

Our reading: a statement of MEMORY.md is a fact about the owner, of the category that its heading promises, and is kept
as it stands; every file of memory/ is kept as a note. MEMORY.md is kept as a note too, so that nothing of its
order is lost.
"""

from collections.abc import Iterable
from collections.abc import Iterator

from engram.base.text import clean_statement
from engram.config.paths import SELF_FILE_TEXT
from engram.errors import MalformedInputError
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import decode
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import note_name
from engram.language.notes import RawEntry
from engram.language.notes import bare_words
from engram.language.notes import section_category
from engram.language.notes import split_note

_CURATED = frozenset({"memory.md"})  # file names, folded
_MEMORY = "memory"  # the folder of notes


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield the statements of MEMORY.md, and every note as it stands."""
    seen: set[bytes] = set()
    for file in files:
        if _is_curated(file.name) and file.data in seen:
            continue  # MEMORY.md and memory.md are one file where names have no case, or one is a link to the other
        seen.add(file.data)
        yield from keep_note(file)
        if _is_curated(file.name) and file.data != SELF_FILE_TEXT.encode():  # else nobody has written into it
            yield from statements(file, subject.owner)


def is_note(name: str) -> bool:
    """Tell whether a file of that name is one of these."""
    folders, _, last = name.rpartition("/")
    return last.casefold().endswith(".md") and (_is_curated(name) or _MEMORY in folders.split("/") or not folders)


def keep_note(file: SourceFile, name: str = "") -> Iterator[Item]:
    """Yield a file as a note, or a remark when it is no text."""
    try:
        text = decode(file)
    except Unreadable as problem:
        yield Remark(file.name, "", str(problem))
        return
    if text.strip():
        yield NoteItem(file.name, name or note_name(file.name.removeprefix(f"{_MEMORY}/")), text)


def statements(file: SourceFile, entity: str, abstraction: str = "episode") -> Iterator[Item]:
    """Yield each bullet and paragraph of a file as a fact; what cannot be split was refused as a note already."""
    try:
        entries = split_note(file.data)
    except MalformedInputError:
        return
    for entry in entries:
        text = _plain(entry)
        if text:
            yield FactItem(
                file.name,
                f"line {entry.line}",
                entity,
                text,
                category=section_category(entry.headings) or "context",
                abstraction=abstraction,
            )


def _is_curated(name: str) -> bool:
    return name.rpartition("/")[2].casefold() in _CURATED


def _plain(entry: RawEntry) -> str:
    return clean_statement(" ".join(bare_words(line) for line in entry.text.splitlines()))


FORMAT = Format(is_note, parse)
