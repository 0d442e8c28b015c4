"""On which occasions facts were said: the days that their sources tell, or the conversations in which they were."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping

from engram.base.clock import local_day
from engram.language.text.markdown_notes import note_day
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Usage
from engram.ports.database import FactDatabase


def occasions_of(
    database: FactDatabase,
    facts: Iterable[Fact],
    evidence: Iterable[Fact],
    usages: Mapping[str, Usage],
    zone: dt.tzinfo,
) -> dict[str, frozenset[str]]:
    """Return id -> when each of the facts was said, itself or as what it was made of (`evidence`).

    `usages` are those of both; facts that nobody used are absent.
    """
    asked = list(facts)
    looked_at = [*asked, *evidence]
    days = _days_of_notes(database, looked_at, usages)
    seen = {fact.id: _occasions(fact, usages.get(fact.id), days, zone) for fact in looked_at}
    return {fact.id: seen[fact.id].union(*(seen.get(one, ()) for one in fact.derived_from)) for fact in asked}


def _days_of_notes(database: FactDatabase, facts: Iterable[Fact], usages: Mapping[str, Usage]) -> dict[str, str]:
    """Return path -> day of the notes that facts were read from and whose names do not tell it."""
    sources = [source for fact in facts for source in _sources(fact, usages.get(fact.id))]
    paths = {source.path for source in sources if source.path and not source.turn and not _occasion(source, {})}
    return {note.path: note.on for note in database.find_notes(paths) if note.on} if paths else {}


def _sources(fact: Fact, usage: Usage | None) -> tuple[Source, ...]:
    return (fact.source, *(usage.confirmed_by if usage is not None else ()))


def _occasions(fact: Fact, usage: Usage | None, days: Mapping[str, str], zone: dt.tzinfo) -> frozenset[str]:
    """Return the days on which a fact was said, as its sources tell; a conversation counts once.

    The day is that of the note, not the one on which it was read.
    """
    own = _occasion(fact.source, days) or local_day(fact.recorded_at, zone).isoformat()
    found = set() if fact.derived_from else {own}  # nobody said it again on the day when it was promoted
    if usage is not None and usage.confirm_count:
        told = {_occasion(source, days) for source in usage.confirmed_by} - {""}
        if usage.last_confirmed_at is not None and not told:
            told = {local_day(usage.last_confirmed_at, zone).isoformat()}
        found |= told
    return frozenset(found)


def _occasion(source: Source, days: Mapping[str, str]) -> str:
    day = note_day((source.path or "").rpartition("/")[2], "")
    if day is not None:
        return day.isoformat()
    if source.path and source.path in days and not source.turn:
        return days[source.path]
    return f"session {source.session}" if source.turn and source.session else ""
