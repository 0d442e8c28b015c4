"""How facts, turns and entries of notes become searchable documents. Pure.

The text that is searched holds more than the text that is shown: the date in words, the days that "yesterday" and
"last month" stand for, the speaker, the entity, the headings above a note's entry. A question uses those words, the
text itself often does not.
"""

import datetime as dt
import re
from collections.abc import Callable
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.base.dates import ENGLISH_MONTHS
from engram.language.dates.dates import DAY
from engram.language.dates.dates import RELATIVE
from engram.language.dates.dates import YEAR
from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import find_dates
from engram.language.matching.patterns import joined
from engram.language.screen.injection import find_injection
from engram.language.screen.intent import find_steering
from engram.language.text.machine_text import is_machine_made
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.record import Record
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.document import CANDIDATE
from engram.model.document import FACT
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import own_trust

NOTE = "note"
TURN = "turn"

_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_PROGRAMS = frozenset(  # speakers that are no person
    {"agent", "ai", "assistant", "bot", "chatbot", "chatgpt", "claude", "codex", "copilot", "function", "gemini"}
    | {"gpt", "llm", "model", "system", "tool"}
)


class Indexed(NamedTuple):
    """What one journal record asks of the index."""

    documents: tuple[Document, ...] = ()  # to insert or replace
    dead: tuple[str, ...] = ()  # ids of documents that are no longer live
    moved: tuple[FactStep, ...] = ()  # facts that are about another entity, or name others; after the documents


def documents_of(
    record: Record, zone: dt.tzinfo = dt.UTC, is_wanted: Callable[[str], bool] = lambda _key: True
) -> Indexed:
    """Return the documents that a journal record adds and those that it retires; days are days of that zone.

    Of those that are not wanted, by their ids, nothing is made.
    """
    documents: dict[str, Document] = {}
    dead: list[str] = []
    moved: list[FactStep] = []
    for decision in record.decisions:
        for change in decision.changes:
            match change:
                case FactRecorded() if is_wanted(change.fact.id):
                    documents[change.fact.id] = fact_document(change.fact, zone)
                case TurnCaptured() if is_wanted(change.turn.id):
                    documents[change.turn.id] = turn_document(change.turn, zone)
                case FactSuperseded() | FactRetracted() if is_wanted(change.id):
                    dead.append(change.id)
                case FactRestored() if is_wanted(change.fact.id):
                    documents[change.fact.id] = fact_document(change.fact, zone)
                    dead = [key for key in dead if key != change.fact.id]
                case EntitiesRearranged():
                    moved += [step for step in change.rearrangement.facts if is_wanted(step.id)]
                case _:
                    pass
    return Indexed(tuple(documents.values()), tuple(dead), tuple(moved))


def moved_document(document: Document, step: FactStep) -> Document:
    """Return the document of a fact where it stands now: searched by the name of the entity that it is about there."""
    _, _, rest = document.indexed_text.partition("\n")
    update: dict[str, object] = {"entity": step.now.entity, "related": step.now.related}
    update["indexed_text"] = _joined(step.now.entity.partition("/")[2], rest)
    if step.now.life is not None:
        update["live"] = step.now.life.status == Status.ACTIVE and step.now.life.trust != Trust.QUARANTINED
    return document.model_copy(update=update)


def fact_document(fact: Fact, zone: dt.tzinfo = dt.UTC) -> Document:
    """Return the document of a fact: searched by its entity's name, its slot and the day from which it holds."""
    slug = fact.entity.partition("/")[2]
    slot = f"{fact.attribute.replace('_', ' ')}: {fact.value}" if fact.attribute and fact.value else ""
    waits = fact.status == Status.CANDIDATE
    live = (waits or fact.status == Status.ACTIVE) and fact.trust != Trust.QUARANTINED
    return Document(
        id=fact.id,
        kind=CANDIDATE if waits else FACT,
        text=fact.text,
        indexed_text=_joined(slug, fact.text, slot, " ".join(fact.tags), _begin_words(fact, zone)),
        entity=fact.entity,
        session=fact.source.session,
        scope=fact.scope,
        trust=fact.trust,
        live=live,
        at=fact.valid_from,
        path=fact.source.path,
        related=fact.related,
    )


def note_document(entry: NoteEntry, zone: dt.tzinfo = dt.UTC, patterns: Sequence[str] = ()) -> Document:
    """Return the document of a note's entry: searched by the headings above it and the note's day.

    It is never served when the entry tries to give orders; `patterns` are the settings' own signs of one.
    """
    at = start_of_day(dt.date.fromisoformat(entry.on), zone) if entry.on else None
    last_line = entry.line + entry.text.rstrip("\n").count("\n")
    trust = own_trust(entry.actor)
    if find_injection(entry.text, patterns) is not None or (
        entry.actor not in PERSONS and find_steering(entry.text) is not None
    ):
        trust = Trust.QUARANTINED
    return Document(
        id=entry.id,
        kind=NOTE,
        text=entry.text,
        indexed_text=note_text(entry, zone),
        session=entry.session,
        scope=entry.scope,
        trust=trust,
        live=trust != Trust.QUARANTINED,
        at=at,
        path=entry.path,
        words_only=is_machine_made(entry.text),
        lines=str(entry.line) if last_line == entry.line else f"{entry.line}-{last_line}",
    )


def note_text(entry: NoteEntry, zone: dt.tzinfo = dt.UTC) -> str:
    """Return the text by which a note's entry is searched, and which is embedded."""
    at = start_of_day(dt.date.fromisoformat(entry.on), zone) if entry.on else None
    days_meant = _days_meant(at, zone, entry.text)
    return _joined(_day_words(at, zone, entry.text), " > ".join(entry.heading), entry.text, days_meant)


def turn_document(turn: Turn, zone: dt.tzinfo = dt.UTC) -> Document:
    """Return the document of a turn: shown with its speaker, searched by speaker and day."""
    return Document(
        id=turn.id,
        kind=TURN,
        text=_said(turn),
        indexed_text=turn_text(turn, zone),
        session=turn.session,
        ref=turn.ref,
        scope=turn.scope,
        trust=turn.trust,
        live=turn.trust != Trust.QUARANTINED,
        at=turn.at,
        path=turn.path,
        ordinal=turn.ordinal,
        words_only=is_machine_made(turn.text),
        by_assistant=(turn.speaker or "").strip().casefold() in _PROGRAMS,
    )


def turn_text(turn: Turn, zone: dt.tzinfo = dt.UTC) -> str:
    """Return the text by which a turn is searched, and which is embedded."""
    return _joined(_day_words(turn.at, zone, turn.text), _said(turn), _days_meant(turn.at, zone, turn.text))


def _said(turn: Turn) -> str:
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _day_words(at: dt.datetime | None, zone: dt.tzinfo, text: str) -> str:
    """Write the day as a person would ask for it: in English, in Russian when the text is, and as ISO 8601."""
    if at is None:
        return ""
    day = local_day(at, zone)
    english, russian = (f"{day.day} {month} {day.year}" for month in _months(day))
    words = f"{english} ({russian})" if _CYRILLIC.search(text) else english
    return f"{words} {day.isoformat()}"


def _begin_words(fact: Fact, zone: dt.tzinfo) -> str:
    """Write the day, month or year from which a fact holds, no more exactly than it was said."""
    if fact.valid_from_precision == Precision.DAY:
        return _day_words(fact.valid_from, zone, fact.text)
    day = local_day(fact.valid_from, zone)
    if fact.valid_from_precision == Precision.YEAR:
        return str(day.year)
    english, russian = (f"{month} {day.year}" for month in _months(day))
    return f"{english} ({russian})" if _CYRILLIC.search(fact.text) else english


def _days_meant(at: dt.datetime | None, zone: dt.tzinfo, text: str) -> str:
    """Write the day that "yesterday" in a text means, or the month of "last week", or the year of "last year"."""
    if at is None:
        return ""
    day = local_day(at, zone)
    others = [
        found for found in find_dates(text, day) if found.kind == RELATIVE and (found.first, found.last) != (day, day)
    ]
    english = [_in_words(found, _months(found.first)[0]) for found in others]
    russian = [_in_words(found, _months(found.first)[1]) for found in others] if _CYRILLIC.search(text) else []
    return " ".join(dict.fromkeys(english + russian))


def _in_words(found: FoundDate, month: str) -> str:
    if found.precision == YEAR:
        return str(found.first.year)
    one_day = found.precision == DAY and found.first == found.last
    return f"{found.first.day} {month} {found.first.year}" if one_day else f"{month} {found.first.year}"


@cache
def _russian_months() -> list[str]:
    return joined("lines", "months").split()


def _months(day: dt.date) -> tuple[str, str]:
    """Return the name of a day's month in English and in Russian."""
    return ENGLISH_MONTHS[day.month - 1], _russian_months()[day.month - 1]
