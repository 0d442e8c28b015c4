"""Basic Memory: a folder of Markdown notes, each an entity with observations and relations.

Documented in that project's NOTE-FORMAT.md and docs ("Knowledge Format", as of 2026): front matter with title, type,
tags and permalink; an observation is a bullet `- [category] text #tag (context)`, a relation a bullet
`- verb [[Title]] (context)`; both are found by their form anywhere in the note, and a checkbox is neither.

Our reading: the file is kept whole as a note, so that prose and headings are not lost; each observation is a fact about
the note's entity, its hashtags are tags and its context stays in the text; a relation is a fact that is related to its
target, which becomes an entity even when it has no note yet.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

import regex

from engram.importers.memories.attribution import instant_of
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import note_lines
from engram.importers.memories.fields import texts
from engram.importers.memories.items import Effect
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import SourceLine
from engram.importers.memories.items import Subject
from engram.importers.memories.items import note_name
from engram.importers.memories.names import Names
from engram.language.dates.note_days import entry_day
from engram.language.text.front_matter import split_front_matter
from engram.language.text.inert import why_inert
from engram.language.text.inert import without_struck

_OBSERVATION = regex.compile(r"\s*+[-*]\s++\[(?P<category>[^\[\]()]{2,60})\]\s+(?P<text>\S.*)$")
# A repetition keeps what it has taken: else a line of blanks is read again from each of them.
_RELATION = regex.compile(
    r"\s*+[-*]\s++(?:(?P<verb>[^\[\]\s][^\[\]]{0,79}?)\s++)?\[\[(?P<target>[^\[\]]{1,200})\]\](?P<rest>[^\[]*)$"
)
_TAG = regex.compile(r"(?<!\S)#([^\s#]{1,80})")
_HEADING = regex.compile(r"\s{0,3}(#{1,6})\s++(.*)$")
_FENCE = regex.compile(r"\s*(?:```|~~~)")
_UNNAMED = "relates to"  # the verb of a relation that names none


class _Note(NamedTuple):
    name: str  # of the file
    fields: dict[str, Any]
    body: str
    title: str
    first_line: int  # of the body, from 1


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield each note as a file, its entity, its observations and its relations."""
    notes = []
    names = Names()
    for as_it_is in files:
        file, remarks = note_lines(as_it_is)
        yield from remarks
        try:
            text = decode(file)
        except Unreadable as problem:
            yield Remark(file.name, "", str(problem))
            continue
        if not text.strip():
            continue
        yield NoteItem(file.name, note_name(file.name), text)
        note = _read(file.name, text)
        names.add(note.title, first_text(note.fields, "type"))
        notes.append(note)
    for note in notes:
        yield from _items(note, names, subject)


def _read(name: str, text: str) -> _Note:
    fields, body = split_front_matter(text)
    title = first_text(fields, "title") or name.rpartition("/")[2].rpartition(".")[0]
    return _Note(name, fields, body, title, text.count("\n") - body.count("\n") + 1)


def _items(note: _Note, names: Names, subject: Subject) -> Iterator[Item]:
    path = names.find(note.title)
    if not path:
        yield Remark(note.name, "", f"no entity can be named after its title {note.title[:60]!r}")
        return
    yield EntityItem(note.name, "", path, note.title)
    at = instant(first_text(note.fields, "modified", "updated", "created", "date"), subject.zone)
    base = FactItem(note.name, "", path, "", note.title, tags=texts(note.fields.get("tags")), at=at)
    day = at.astimezone(subject.zone).date() if at else None
    in_code = False
    headings: list[tuple[int, str]] = []
    for number, raw in enumerate(note.body.split("\n"), note.first_line):
        text = raw.rstrip("\r")
        if _FENCE.match(text):
            in_code = not in_code
        elif not in_code and (heading := _HEADING.match(text)):
            headings = [one for one in headings if one[0] < len(heading[1])] + [
                (len(heading[1]), _unclosed(heading[2]))
            ]
        elif not in_code and not why_inert(text):
            above = tuple(title for _, title in headings)
            line = SourceLine(text, number, above, entry_day(above, text, day))
            dated = instant_of(line, subject) if line.on != day else at
            yield from _line(base._replace(place=f"line {number}", at=dated, line=line), without_struck(text), names)


def _unclosed(heading: str) -> str:
    """Return the words of a heading without the hash signs that may close it."""
    title = heading.rstrip()
    words = title.rstrip("#")
    return words.rstrip() if words[-1:].isspace() else title


def _line(base: FactItem, line: str, names: Names) -> Iterator[Item]:
    if found := _RELATION.match(line):
        yield from _relation(base, found, names)
    elif found := _OBSERVATION.match(line):
        category, kept, why = category_of(found["category"])
        if why:
            yield Remark(base.file, base.place, why, Effect.CHANGED)
        tags = (*base.tags, *kept, *_TAG.findall(found["text"]))
        text = " ".join(_TAG.sub("", found["text"]).split())
        if text:
            yield base._replace(text=text, category=category, tags=tuple(dict.fromkeys(tags)))
        else:
            yield Remark(base.file, base.place, "the observation has no text")


def _relation(base: FactItem, found: regex.Match[str], names: Names) -> Iterator[Item]:
    target = found["target"].partition("|")[0].partition("#")[0].strip()
    path = names.find(target)
    if not path:
        yield Remark(base.file, base.place, f"no entity can be named after {target[:60]!r}")
        return
    verb = (found["verb"] or _UNNAMED).strip()
    context = found["rest"].strip()
    text = " ".join(f"{base.title} {verb.replace('_', ' ')} {target} {context}".split())
    related = () if path == base.entity else (path,)
    yield base._replace(text=text, category="relationship", tags=(*base.tags, verb), related=related)
    if not names.is_declared(target):
        yield EntityItem(base.file, base.place, path, target)


FORMAT = Format(lambda name: name.casefold().endswith(".md"), parse)
