"""Whether life/ and the index hold what is made of the journal: made anew in memory, and compared piece by piece.

A digest only tells that a file is the one that was written. What was written may itself be wrong, and who changes a
file can change the note of its digest beside it.
"""

import datetime as dt
from collections.abc import Iterator
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.counts import counted
from engram.base.text import sha256_hex
from engram.config.settings import Settings
from engram.model.document import Document
from engram.ports.database import FactDatabase
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal
from engram.ports.mirror import Mirror
from engram.ports.mirror import MirrorState
from engram.rules.life.mirror import INDEX
from engram.services.index.catch_up import documents_upto
from engram.services.index.note_catch_up import KINDS
from engram.services.mirror.view import Difference
from engram.services.mirror.view import MirrorView

_PAGE: Final = 512  # documents that are read at a time
_PART: Final = 200_000  # documents that are held at a time, below 1 kB each; the journal is read once for each part
_MOST_NAMED: Final = 20  # differences of one kind that are named
_PAGES: Final = ("summary.md", "items.json")


class Compared(NamedTuple):
    """What is not as the journal says."""

    problems: list[str]  # what is inconsistent
    degraded: list[str]  # what is behind, missing or edited, and what is made again


# --- life/ -------------------------------------------------------------------------------------------------------


def compare_mirror(folded: FactDatabase, journal: Journal, mirror: Mirror, settings: Settings, life: Path) -> Compared:
    """Compare each file of life/ with one that is rendered from a database that was just folded from the journal.

    What a person edited waits for the heartbeat and is no damage; neither is a page whose tiers wait to be weighed.
    """
    state = mirror.load()
    view = MirrorView(folded, journal, settings, state)
    view.keep_tiers(state)
    behind = view.changed_since(state)
    problems: list[str] = []
    degraded: list[str] = []
    for path in view.reading_ahead(sorted(view.entities)):
        for found in view.differences(mirror, state, path):
            told = problems if found.kind == "damaged" else degraded
            told += [f"life/{found.name}: {_said(found)}"] if found.kind != "current" else []
        if path not in behind:
            problems += [f"life/{name} is not what the journal says" for name in _wrong(view, mirror, state, path)]
    if state.position == view.position and _is_as_written(mirror, state, INDEX) and mirror.read(INDEX) != view.index():
        problems.append(f"life/{INDEX} is not what the journal says")
    expected = {f"{path}/{name}" for path in view.entities for name in _PAGES} | state.files.keys()
    strange = sorted(name for name in _pages_in(life) if name not in expected)
    degraded += [f"life/{name}: nothing in the journal makes it" for name in strange]
    behind &= set(view.entities)
    degraded += [f"life/ is behind with {counted(len(behind), 'entity', 'entities')}"] if behind else []
    return Compared(_named(problems), _named(degraded))


def _said(found: Difference) -> str:
    match found.kind:
        case "edited":
            return f"somebody edited it: {counted(len(found.plan.edits), 'change')} to be taken in"
        case "damaged":
            return found.plan.damage
        case "stale":
            return "it is an older version"
        case _:
            return "it is not there"


def _wrong(view: MirrorView, mirror: Mirror, state: MirrorState, path: str) -> Iterator[str]:
    """Yield the files of an entity that are as they were written, and should never have been written like that."""
    facts, entity = view.facts(path), view.entities[path]
    written = {name: content for name in view.render(entity, []) if (content := mirror.read(name)) is not None}
    written = {name: content for name, content in written.items() if sha256_hex(content) == state.files.get(name)}
    is_weighed = not state.held and state.weighed == view.weighed
    rendered = view.render(entity, facts)
    for name, content in written.items():
        shows_tiers = name.endswith(_PAGES[0])
        if content != rendered[name] and (is_weighed or not shows_tiers):
            yield name


def _is_as_written(mirror: Mirror, state: MirrorState, name: str) -> bool:
    content = mirror.read(name)
    return content is not None and sha256_hex(content) == state.files.get(name)


def _pages_in(life: Path) -> Iterator[str]:
    for path in life.rglob("*"):
        if path.name in _PAGES and path.is_file() and not path.is_symlink():
            yield path.relative_to(life).as_posix()


# --- the index ---------------------------------------------------------------------------------------------------


def compare_index(journal: Journal, index: VectorIndex, zone: dt.tzinfo) -> list[str]:
    """Return what the index holds otherwise than the journal up to its position says; it is open, under its lock."""
    of_files = {key for keys in index.ids_by_path(KINDS).values() for key in keys}
    problems: list[str] = []
    of_journal, parts = 0, 1 + index.count() // _PART
    for part in range(parts):
        expected = documents_upto(journal, index.position(), zone, part=part, parts=parts)
        problems += _differing(index, expected)
        of_files -= expected.keys()
        of_journal += len(expected)
    strange = index.count() - len(of_files) - of_journal
    if strange > 0 and not problems:
        problems.append(f"the index has {counted(strange, 'document')} that nothing in the journal makes")
    return _named(problems)


def _differing(index: VectorIndex, expected: Mapping[str, Document]) -> list[str]:
    wanted = iter(expected)
    problems: list[str] = []
    while page := list(islice(wanted, _PAGE)):
        found = {document.id: document for document in index.retrieve(page)}
        problems += [f"the index lacks {key}" for key in page if key not in found]
        others = (key for key in page if key in found and not _is_same(found[key], expected[key]))
        problems += [f"the index has {key} otherwise than the journal" for key in others]
    return problems


def _is_same(found: Document, expected: Document) -> bool:
    return found == expected.model_copy(update={"context": found.context})


def _named(words: list[str]) -> list[str]:
    more = len(words) - _MOST_NAMED
    return [*words[:_MOST_NAMED], f"{more} more of this kind"] if more > 0 else words
