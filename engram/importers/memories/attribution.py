"""Whom a line of another memory is about, what it is and in which words it stands by itself.

A reader hands over each line with all that stood around it, and with what the source itself says of it. Attribution
then reads the whole memory twice: first it counts names, then it decides line by line, as extraction does for notes.
Somebody kept these lines already, so every one stays: what the judge would not keep only waits as a candidate.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import slugify
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import SourceLine
from engram.importers.memories.items import Subject
from engram.importers.memories.items import content_of
from engram.language.names.mentions import Known
from engram.language.screen.injection import find_injection
from engram.language.signal.detector import HIGH
from engram.language.text.inert import without_struck
from engram.language.text.markdown_notes import split_note
from engram.services.extract.extract import category_of
from engram.services.extract.extract import find_introduced
from engram.services.extract.extract import read_parts
from engram.services.extract.fact_text import fact_wording
from engram.services.extract.judge import CANDIDATE_FROM
from engram.services.extract.judge import load_judge
from engram.services.extract.labels import promised_category
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.lines.passage import read_lines
from engram.services.extract.lines.passage import without_own_title
from engram.services.extract.subject.attribution import About
from engram.services.extract.subject.attribution import Attribution
from engram.services.extract.subject.home import Home
from engram.services.extract.told_facts import MAX_RELATED

_MARKUP_CHARS: Final = 16  # of an entry around its only statement: list marker, checkbox, emphasis


class Whose(NamedTuple):
    """An entity that a line is about."""

    entity: str  # path
    title: str | None = None  # for when it has to be made


class Surroundings(NamedTuple):
    """What is known where a memory is imported."""

    known: Sequence[Known]  # the entities there are
    owner: str  # path of the entity that lines are about which nothing else speaks for
    home: Callable[[str], Home]  # whom a line belongs to that names nobody, by the name of its agent, if it has one
    min_mentions: int  # entries that must name somebody before a name alone makes an entity known


def find_whose(line: SourceLine, subject: Subject) -> Whose:
    """Return whom the source itself says a line is about: its agent where the file says so, else the owner."""
    if line.is_agents and line.agent:
        return Whose(f"people/{slugify(line.agent) or 'teammate'}", line.agent)
    return Whose(subject.owner)


def instant_of(line: SourceLine, subject: Subject) -> dt.datetime | None:
    """Return when a line was written: the beginning of its day; None when nothing tells it."""
    return dt.datetime.combine(line.on, dt.time.min, tzinfo=subject.zone).astimezone(dt.UTC) if line.on else None


def attribute(items: Sequence[Item], around: Surroundings) -> list[Item]:
    """Return the items of one memory, each statement whose line tells whom it is about with that entity.

    A compound statement becomes an item for each clause that stands by itself.

    `content` of such an item is what it was when it was read, so that the same source again is the same whatever is
    known by then. An item whose source names an entity stays as it is. Each note gets its home.
    """
    items = [_at_home(item, around) if isinstance(item, NoteItem) else item for item in items]
    if not any(isinstance(item, FactItem) and item.by_line for item in items):
        return items
    attributed = _Attributed(items, around)
    return [
        one
        for item in items
        for one in (attributed.about(item) if isinstance(item, FactItem) and item.by_line else (item,))
    ]


class _Attributed:
    """The names of one memory, and the lines that were read so far."""

    def __init__(self, items: Sequence[Item], around: Surroundings) -> None:
        """Read the whole memory for its names."""
        self._home = around.home
        self._evidence = Evidence()
        entries = list(_iter_entries(items))
        for text, headings in entries:
            self._evidence.add(text, headings)
        lines = [item.line for item in items if isinstance(item, FactItem) and item.by_line and item.line]
        self._titles = dict(home for home in (around.home(line.agent) for line in lines) if home.title)
        self._there = {one.path for one in around.known}
        homes = [Known(path, (title,)) for path, title in self._titles.items() if path not in self._there]
        found = find_introduced([text for text, _ in entries], [*around.known, *homes], around.min_mentions)
        self._titles |= {one.path: one.title for one in found}
        named = [Known(one.path, (one.title,)) for one in found]
        self._attribution = Attribution([*around.known, *homes, *named], owner=around.owner)
        self._before: dict[tuple[str, tuple[str, ...]], str] = {}  # by file and headings: what was said last

    def about(self, item: FactItem) -> Sequence[FactItem]:
        """Return an item with whom it is about, its category and its words; of a compound one each clause so."""
        if item.line is None:
            return [item]
        home = self._home(item.line.agent)
        text = without_struck(item.line.text)
        if find_injection(text) is not None:  # what gives orders makes nobody known, and waits in quarantine
            return [self._placed(item, home.path, home.title, ())]
        headings = without_own_title(item.line.headings, item.file)
        passage = Passage(item.place, text, headings, home=home.path, home_title=home.title)
        place = (item.file, headings)
        lines = [line for _, line in read_lines(passage, text, self._before.get(place, ""))]
        if not lines:
            return [self._placed(item, home.path, home.title, ())]
        self._before[place] = lines[-1].text
        line = lines[0]
        about = self._attribution.about(line, passage, self._evidence)
        if item.line.is_agents:  # the file says what they are, and in which words
            return [self._placed(item, about.path, about.title, about.others)]
        verdicts = [load_judge().judge(one) for one in lines]
        best, verdict = max(zip(lines, verdicts, strict=True), key=lambda one: one[1].chance)
        is_spoken_for = best.grade == HIGH or bool(promised_category(line))
        judged = item._replace(
            category=category_of(best, verdict).value, waits=verdict.chance < CANDIDATE_FROM and not is_spoken_for
        )
        original = judged._replace(content=content_of(item))
        is_whole = len(lines) == 1 and len(text.strip()) - len(line.text) <= _MARKUP_CHARS
        if item.key or not is_whole:  # what the source has a name for stays one
            return [self._worded(original, line if is_whole else line._replace(text=text), about)]
        parts = read_parts(line, passage, self._attribution, self._evidence)
        return [self._worded(_numbered(original, number), *one) for number, one in enumerate(parts, 1)]

    def _worded(self, item: FactItem, line: Line, about: About) -> FactItem:
        placed = self._placed(item, about.path, about.title, about.others)
        name = placed.title or self._attribution.name_of(about.path)
        said = fact_wording(line, entity=about.path, title=name, origin=about.origin).text
        return placed._replace(text=said if said and len(item.text) <= MAX_FACT_CHARS else item.text)

    def _placed(self, item: FactItem, path: str, title: str | None, others: Sequence[str]) -> FactItem:
        related = tuple(other for other in others if other in self._there and other != path)[:MAX_RELATED]
        title = None if path in self._there else self._titles.get(path) or title or None
        return item._replace(entity=path, title=title, related=related, content=content_of(item))


def _numbered(item: FactItem, number: int) -> FactItem:
    """Return the part of a statement that was read as several; the first one is the same as the whole was before."""
    return item if number == 1 else item._replace(content=(*item.content, number))


def _at_home(note: NoteItem, around: Surroundings) -> NoteItem:
    home = around.home(note.agent)
    return note._replace(home=home.path, home_title=home.title)


def _iter_entries(items: Sequence[Item]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (text, headings) of each entry of a memory: of its notes, and of what no note holds."""
    notes = [item for item in items if isinstance(item, NoteItem) and not item.session]
    for note in notes:
        yield from ((entry.text, entry.headings) for entry in split_note(note.text.encode()))
    in_notes = {note.file for note in notes}
    for item in items:
        if isinstance(item, FactItem) and item.line is not None and item.file not in in_notes:
            yield item.line.text, item.line.headings
