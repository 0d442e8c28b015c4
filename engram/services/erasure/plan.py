"""What has to go so that nothing in the workspace tells any more what a person asked to forget.

A fact goes with every fact of the same words, with what was derived from it, and with the words that it was read in:
the sentence of a turn or of a note that says what it says, else the whole turn or entry.
"""

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.errors import UnknownEntityError
from engram.errors import UnknownSourceError
from engram.language.terms.terms import terms
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.erasure import FORGOTTEN
from engram.rules.erasure import Forgotten
from engram.rules.erasure import TextEraser
from engram.rules.erasure import is_long
from engram.services.facts.listing import get_fact

_SENTENCE = re.compile(r"(?<=[.!?。！？；;])\s*|\n+")
_SAME = 0.8  # share of the words of a sentence, or of the fact, that both have when one was read in the other
_FEWEST_WORDS = 2  # of a sentence that a fact may have been read in
_MOST_MENTIONS = 50  # of an entity that are listed


class ForgetQuery(NamedTuple):
    """What is to be forgotten: one of the three."""

    fact: str | None = None  # id, full or short
    source: str | None = None  # a session, a file, or what a writer called its source
    entity: str | None = None  # path


class ForgetPlan(NamedTuple):
    """What goes, and what is told of it."""

    forgotten: Forgotten
    derived: tuple[str, ...]  # ids of the facts among it that go because they were made of others
    notes: tuple[str, ...]  # files that were forgotten as a whole, relative to the workspace
    outside: tuple[str, ...]  # files that are not Engram's and may still hold the words, also such as are gone
    mentions: tuple[str, ...]  # ids of facts that stay and name a forgotten entity
    already: tuple[str, ...] = ()  # ids of facts, or a source, that were forgotten before: nothing of them is left

    @property
    def is_done(self) -> bool:
        """Whether all of it was forgotten before."""
        return bool(self.already) and not any(self.forgotten)

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed: ids and files, never the words."""
        return {
            "facts": sorted(self.forgotten.facts),
            "derived": [*self.derived],
            "turns": sorted(self.forgotten.turns),
            "note_entries": sorted(self.forgotten.entries),
            "notes": [*self.notes],
            "entities": sorted(self.forgotten.moved),
            "outside": [*self.outside],
            "mentions": [*self.mentions],
            "already": [*self.already],
        }


def plan_forgetting(database: FactDatabase, query: ForgetQuery, root: Path, stand_in: str) -> ForgetPlan:
    """Return what has to go; raise UnknownFactError, UnknownEntityError or UnknownSourceError.

    `stand_in` is the name that takes the place of a forgotten entity's in its path.
    """
    moved, names = _stand_ins(database, query.entity, stand_in)
    read = _read(database, query, names)
    chosen = {fact.id for fact in read.asked_for if fact.text != FORGOTTEN}
    already = tuple(sorted(fact.id for fact in read.asked_for if fact.text == FORGOTTEN))
    derived = _derived(read.made_of, chosen)
    going = _facts_of(database, chosen | derived)
    said = _SaidIn(database, root)
    places = said.whole(query.source) if query.source else said.of(going)
    forgotten = Forgotten(
        frozenset(fact.id for fact in going),
        frozenset(places.turns),
        frozenset(places.entries),
        tuple(sorted({fact.text for fact in going} | places.texts)),
        moved,
        names,
    )
    if query.source and not any(forgotten):  # it is known, and nothing is left of it
        already = tuple(dict.fromkeys([*already, query.source]))
    mentions = [one for one in read.mentioning if one not in forgotten.facts]
    outside = {path for fact in going if (path := fact.source.path) and Path(path).is_absolute()} | places.outside
    kept_outside = tuple(sorted(path for path in outside if not _is_in(root, path)))
    return ForgetPlan(
        forgotten, tuple(sorted(derived)), tuple(places.notes), kept_outside, tuple(mentions[:_MOST_MENTIONS]), already
    )


def depending_on(database: FactDatabase, source: str) -> tuple[list[Fact], list[Fact]]:
    """Return the facts that come from a source, and those that were made of them.

    Raises UnknownSourceError when nothing comes from it.
    """
    read = _read(database, ForgetQuery(source=source), frozenset())
    return read.asked_for, _facts_of(database, _derived(read.made_of, {fact.id for fact in read.asked_for}))


class _Read(NamedTuple):
    """What is kept of all facts of a store, which are not held at once."""

    asked_for: list[Fact]
    made_of: dict[str, tuple[str, ...]]  # id -> what it was made of, of those that were made of others
    mentioning: list[str]  # ids of the facts that name what is forgotten


def _read(database: FactDatabase, query: ForgetQuery, names: frozenset[str]) -> _Read:
    is_asked_for = _choice(database, query)
    read = _Read([], {}, [])
    for fact in database.iter_facts(FactFilter(status="all")):
        if is_asked_for(fact):
            read.asked_for.append(fact)
        if fact.derived_from:
            read.made_of[fact.id] = fact.derived_from
        if names and any(name in fact.text.casefold() for name in names):
            read.mentioning.append(fact.id)
    source = query.source
    if source and not (read.asked_for or source in database.turn_counts() or database.find_notes([source])):
        raise UnknownSourceError(f"nothing comes from {source!r}", source=source)
    return read


def _choice(database: FactDatabase, query: ForgetQuery) -> Callable[[Fact], bool]:
    """Return what tells whether a fact is asked for."""
    if query.fact:
        asked = get_fact(database, query.fact)
        if asked.text == FORGOTTEN:  # which others say, too
            return lambda fact: fact.id == asked.id
        return lambda fact: fact.fingerprint == asked.fingerprint or fact.id == asked.id
    if query.entity:
        paths = _paths_of(database, query.entity)
        return lambda fact: fact.entity in paths
    source = query.source or ""
    return lambda fact: source in {fact.source.session, fact.source.path, fact.source.label, fact.source.turn}


def _facts_of(database: FactDatabase, ids: set[str]) -> list[Fact]:
    return database.list_facts(FactFilter(status="all", ids=tuple(sorted(ids)))) if ids else []


def _paths_of(database: FactDatabase, entity: str) -> set[str]:
    """Return the path of an entity and those that it has left."""
    known = {one.path for one in database.list_entities()}
    if entity not in known:
        raise UnknownEntityError(f"no entity stands at {entity!r}", entity=entity)
    paths = {entity}
    redirects = database.list_redirects()
    while more := {one.path for one in redirects if one.to in paths} - paths:
        paths |= more
    return paths


def _stand_ins(database: FactDatabase, entity: str | None, name: str) -> tuple[dict[str, str], frozenset[str]]:
    """Return what takes the place of an entity's paths, and its names in small letters."""
    if entity is None:
        return {}, frozenset()
    paths = sorted(_paths_of(database, entity))
    moved = {path: f"{path.partition('/')[0]}/{name}{number or ''}" for number, path in enumerate(paths)}
    (own,) = (one for one in database.list_entities() if one.path == entity)
    return moved, frozenset(title.casefold() for title in (own.title, *own.aliases))


def _derived(made_of: Mapping[str, Iterable[str]], ids: set[str]) -> set[str]:
    """Return the ids of the facts that were made of these, and of those, and so on."""
    found: set[str] = set()
    while more := {key for key, parts in made_of.items() if {*parts} & (ids | found)} - ids - found:
        found |= more
    return found


class _Places(NamedTuple):
    """Where the words stand from which facts were made."""

    turns: set[str]
    entries: set[str]
    texts: set[str]
    notes: set[str]
    outside: set[str]


class _SaidIn:
    """Finds the words in which facts were said."""

    def __init__(self, database: FactDatabase, root: Path) -> None:
        self._database = database
        self._root = root

    def whole(self, source: str) -> _Places:
        """Return all turns of a session, or all entries of a note."""
        turns = [turn for turn in self._database.list_turns() if source in {turn.session, turn.path, turn.id}]
        turns = [turn for turn in turns if turn.text != FORGOTTEN]
        entries = [entry for entry in self._database.find_notes([source]) if entry.text != FORGOTTEN]
        texts = {turn.text for turn in turns} | {entry.text for entry in entries}
        lines = {line for text in texts for line in text.splitlines()}
        notes = {source} if entries else set()
        outside = {turn.path for turn in turns if turn.path}
        return _Places({turn.id for turn in turns}, {entry.id for entry in entries}, texts | lines, notes, outside)

    def of(self, facts: Iterable[Fact]) -> _Places:
        """Return what says what these facts say, in the turns and notes that they come from."""
        places = _Places(set(), set(), set(), set(), set())
        sessions: dict[str, dict[str, Turn]] = {}
        notes: dict[str, list[NoteEntry]] = {}
        for fact in facts:
            source = fact.source
            if source.turn and source.session:
                if source.session not in sessions:
                    turns = self._database.list_turns(source.session)
                    sessions[source.session] = {turn.id: turn for turn in turns}
                if turn := sessions[source.session].get(source.turn):
                    places.outside.update(filter(None, [turn.path]))
                    self._add(places, fact, turn.text, places.turns, turn.id)
            elif source.path:
                if source.path not in notes:
                    notes[source.path] = self._database.find_notes([source.path])
                for entry in notes[source.path]:
                    if _says(entry.text, fact.text):
                        self._add(places, fact, entry.text, places.entries, entry.id)
        return places

    @staticmethod
    def _add(places: _Places, fact: Fact, text: str, whole: set[str], key: str) -> None:
        if TextEraser([fact.text]).is_in(text):
            return  # the fact's own words are taken out of it
        said = {sentence for sentence in _SENTENCE.split(text) if _says(sentence, fact.text)}
        places.texts.update(said or {text})
        if not all(map(is_long, said)) or not said:  # it could not be told from the same words elsewhere
            whole.add(key)


def _says(sentence: str, statement: str) -> bool:
    """Tell whether a statement was read in a sentence: most words of one stand in the other."""
    these, those = frozenset(terms(sentence)), frozenset(terms(statement))
    return len(these) >= _FEWEST_WORDS and len(these & those) >= _SAME * min(len(these), max(len(those), 1))


def _is_in(root: Path, path: str) -> bool:
    return Path(path).is_relative_to(root)
