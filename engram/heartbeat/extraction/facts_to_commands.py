"""From a hand-off to commands: every fact tied to the bytes it stands on, or refused."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.speaker_names import is_own_speech
from engram.base.text import parse_entity_path
from engram.base.text import sha256_hex
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.corrections import said_as
from engram.language.compare.slots.clauses import Clause
from engram.language.compare.slots.clauses import read_clauses
from engram.language.compare.slots.subject_days import ANY_DAY
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import name_days
from engram.language.names.mentions import NameIndex
from engram.language.text.entry_stamp import without_stamp
from engram.language.text.entry_stamp import written_at
from engram.language.text.talk.pasted_text import is_pasted
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.model.handoff import HandoffFact
from engram.services.extract.subject.attribution import is_harmless_name
from engram.services.extract.validity import dated_fields
from engram.services.extract.validity import find_validity
from engram.services.extract.validity import validity_fields

_ALERT_CHARS = 80  # of a fact's text in an alert
_BEFORE_A_DAY = 1  # word that may stand there: from, since


class Draftings(NamedTuple):
    """The commands that a hand-off asks for, and what was refused before it became one."""

    envelopes: list[Envelope]  # writes first, then what was read and what moved of the batch
    alerts: list[str]
    former_ids: Mapping[str, str] = MappingProxyType({})  # of writes: as they were made of the entity, too, until 0.20


class _Place(NamedTuple):
    row: NoteEntry | Turn
    source: WriteSource
    holds: Mapping[str, str] = MappingProxyType({})  # from when and until when it is true, as fields of `write`


def draft_commands(
    facts: Sequence[HandoffFact], batch: Batch, index: NameIndex, now: dt.datetime, zone: dt.tzinfo = dt.UTC
) -> Draftings:
    """Return the commands for the facts of one batch, with ids made of their content, and for its note entries.

    A fact is refused when its quote does not stand in the batch, when its entity is neither known nor a path, or when
    the name of its entity tries to give orders. It is valid from and to the days that its quote says, else from when it
    was said; `zone` tells the day of a turn and where days end.
    """
    rows: dict[str, NoteEntry | Turn] = {note.id: note for note in batch.notes}
    rows |= {turn.id: turn for turn in batch.turns}
    placed = [(fact, _find_quote(fact, rows, zone), _path_of(fact.entity, index)) for fact in facts]
    taken = [(fact, place, path) for fact, place, path in placed if place and path and not _refusal(fact, place, path)]
    alerts = [why for fact, place, path in placed if (why := _refusal(fact, place, path))]
    if not any(said_as(place.row.text, fact.quote) for fact, place, _ in taken):  # which corrects what stands before it
        taken.sort(key=lambda one: one[2])  # one entity after the other: what is known of it is taken apart once
    born = {path for _, _, path in taken}
    envelopes: dict[str, Envelope] = {}
    former_ids: dict[str, str] = {}
    told: dict[tuple[str, str], dict[str, int]] = {}  # row and text -> entity -> its place among those told of
    for fact, place, path in taken:
        named = {index.find_path(name) or (name if name in born else None) for name in fact.related} - {None, path}
        command = _write_command(fact, path, place, sorted(filter(None, named)), create=index.find_path(path) is None)
        # Read again, it may be of another entity by now, and is the same statement all the same.
        of_whom = told.setdefault((place.row.id, fact.fact), {}).setdefault(path, len(told[place.row.id, fact.fact]))
        envelope_id = _id_of(place.row.id, fact.fact, *([str(of_whom)] if of_whom else []))
        former_ids[envelope_id] = _id_of(place.row.id, path, fact.fact)
        envelopes[envelope_id] = Envelope(
            id=envelope_id, kind="write", at=now, actor=Actor.AGENT, args=command.as_args()
        )
    return Draftings([*envelopes.values(), *_note_read(batch, now)], alerts, former_ids)


def _id_of(*parts: str) -> str:
    return "hb-" + sha256_hex("\0".join(parts))[:40]


def count_outcomes(results: Sequence[CommandResult]) -> tuple[dict[str, int], list[str]]:
    """Return how many facts had each outcome, and an alert for each that the rules refused.

    What somebody has rejected before is refused in silence.
    """
    writes = [result for result in results if result.kind == "write"]
    counts = {status.value: sum(result.status == status for result in writes) for status in Outcome}
    refused = [result for result in writes if result.error and "rejected" not in result.details]
    alerts = [f"refused: {result.reason or result.error}" for result in refused]
    return {name: count for name, count in counts.items() if count}, alerts


def _path_of(name: str, index: NameIndex) -> str | None:
    parsed = parse_entity_path(name)
    return index.find_path(name) or ("/".join(parsed) if parsed else None)


def _has_harmless_name(fact: HandoffFact, path: str) -> bool:
    return is_harmless_name(fact.title or "") and is_harmless_name(path.replace("-", " "))


def _refusal(fact: HandoffFact, place: _Place | None, path: str | None) -> str:
    """Return why a fact is refused, or "": a name that gives orders is not repeated."""
    what = repr(fact.fact[:_ALERT_CHARS])
    if place is None:
        return f"refused: the quote stands in no entry that was given: {what}"
    if path is None:
        return f"refused: {fact.entity[:_ALERT_CHARS]!r} is neither known nor an entity path: {what}"
    return "" if _has_harmless_name(fact, path) else "refused: the name of an entity gives orders"


def _find_quote(fact: HandoffFact, rows: dict[str, NoteEntry | Turn], zone: dt.tzinfo) -> _Place | None:
    named = rows.get(fact.entry or "")
    for row in [named] if named is not None else rows.values():
        at = row.text.find(fact.quote)
        if at >= 0:
            place = _note_place(row, fact.quote, at) if isinstance(row, NoteEntry) else _turn_place(row, fact.quote, at)
            return place._replace(holds=_holds(fact, row, zone))
    return None


def _dating_words(fact: HandoffFact) -> str:
    """Return the part of a quote that says when a fact of it holds: what another clause says is not its own.

    "I live in Hangzhou and move to Shanghai next month": the first holds now. A clause that names no day has the one
    that opens the statement: "from Monday Anna owns the importer and Boris the exporter".
    """
    for clause in read_clauses(fact.quote):
        at = fact.quote.find(clause.said)
        if at >= 0 and fact.fact.rstrip(" .。!").casefold() in {clause.text.casefold(), clause.said.casefold()}:
            shares = not may_name_days(clause.said) and _opens_with_day(fact.quote[:at], clause)
            return fact.quote[0 if shares else at : at + len(clause.said)]
    return fact.quote


def _opens_with_day(before: str, clause: Clause) -> bool:
    """Tell whether the first day in the words before a clause is that of the whole statement.

    It opens the statement, or stands between the verb and a subject that the clause shares.
    """
    days = name_days(before, ANY_DAY)
    opening = before[: days[0].start].casefold() if days else before
    if clause.said != clause.text:  # without a subject of its own
        opening = opening.replace((clause.who or "").casefold(), "", 1)
    return len(opening.split()) <= _BEFORE_A_DAY


def _holds(fact: HandoffFact, row: NoteEntry | Turn, zone: dt.tzinfo) -> dict[str, str]:
    """Return the fields that say when the fact holds; none when it is not known when it was said."""
    words = _dating_words(fact)
    around = row.text if isinstance(row, Turn) else without_stamp(row.text)
    at = row.at if isinstance(row, Turn) else written_at(row.text)
    if at is not None:
        return {"valid_from": to_iso(at), **dated_fields(words, fact.category, at, zone, around=around)}
    if isinstance(row, Turn) or row.on is None:
        return {}
    day = dt.date.fromisoformat(row.on)
    return validity_fields(find_validity(words, fact.category, day, around=around), zone)


def _note_place(row: NoteEntry, quote: str, at: int) -> _Place:
    start = row.start + len(row.text[:at].encode())
    data = quote.encode()
    end = start + len(data)
    return _Place(row, WriteSource(row.actor, row.session, row.path, start=start, end=end, sha256=sha256_hex(data)))


def _turn_place(row: Turn, quote: str, at: int) -> _Place:
    """Return where something was said; what somebody only passed on is not theirs."""
    is_said = is_own_speech(row.speaker) and not is_pasted(row.text, at, at + len(quote))
    actor = Actor.USER if is_said else Actor.IMPORT
    return _Place(row, WriteSource(actor, row.session, row.path, turn=row.id))


def _write_command(fact: HandoffFact, path: str, place: _Place, related: list[str], *, create: bool) -> WriteCommand:
    said = said_as(place.row.text, fact.quote)
    # What was captured from a file may be anybody's words; the agent's own notes are its own.
    is_doubted = isinstance(place.row, Turn) and place.row.trust != Trust.TRUSTED
    return WriteCommand(
        entity=path,
        text=fact.fact,
        category=fact.category,
        confidence=fact.confidence,
        abstraction=fact.abstraction,
        tags=fact.tags,
        related=related,
        source=place.source,
        scope=place.row.scope,
        create=create,
        title=fact.title if create else None,
        candidate=fact.candidate,
        said_as=said if said != fact.fact else None,
        trust=Trust.UNVERIFIED if is_doubted else None,
        **place.holds,  # type: ignore[arg-type]  # they are texts
    )


def _note_read(batch: Batch, now: dt.datetime) -> list[Envelope]:
    envelopes = []
    if batch.notes:
        made_of = "\0".join(f"{note.id} {note.start}" for note in batch.notes)
        envelopes.append(_reading("hb-note-" + sha256_hex(made_of)[:40], batch.notes, now))
    if batch.moves:  # what moves there and back moves again: the time is part of the id
        made_of = "\0".join([to_iso(now), *(f"{one.entry.id} {one.before} {one.entry.path}" for one in batch.moves)])
        envelopes.append(_reading("hb-move-" + sha256_hex(made_of)[:40], [one.entry for one in batch.moves], now))
    return envelopes


def _reading(envelope_id: str, notes: Sequence[NoteEntry], now: dt.datetime) -> Envelope:
    rows = [note.model_dump(mode="json") for note in notes]
    return Envelope(id=envelope_id, kind="note-read", at=now, actor=Actor.AGENT, args={"entries": rows})
