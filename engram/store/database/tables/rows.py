"""Rows of the DuckDB tables as model values, and back. Pure."""

import datetime as dt
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from engram.base.clock import to_iso
from engram.language.compare.updates.renewal import renewal_keys
from engram.model.changes.settlement import Settlement
from engram.model.changes.undoable import Undoable
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.entity import Redirect
from engram.model.fact import Abstraction
from engram.model.fact import Belief
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.model.observation import Observation
from engram.model.sent_handoff import SentHandoff
from engram.model.tension import Tension
from engram.ports.columns import FactLife
from engram.rules.fold.facts import fact_number
from engram.rules.temporal import ends_at

Row = Mapping[str, Any]

_DERIVED = frozenset({"renewal_keys", "ends_at"})  # columns of facts that follow from their words
_LISTS = ("tags", "related", "supersedes", "derived_from")
_WORDS: dict[str, type[StrEnum]] = {
    "category": Category,
    "abstraction": Abstraction,
    "trust": Trust,
    "valid_from_precision": Precision,
    "status": Status,
    "valid_to_precision": Precision,
}
_FACT_FIELDS = set(Fact.model_fields)  # one set for all facts
_INSTANTS = ("valid_from", "recorded_at", "valid_to", "known_to")
_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_BELIEFS = TypeAdapter(tuple[Belief, ...])


def entity_row(entity: Entity) -> dict[str, Any]:
    """Return the row of an entity, with its names folded for look-ups."""
    names = {name.casefold() for name in (entity.title, *entity.aliases, entity.path.partition("/")[2])}
    return {**entity.model_dump(mode="json"), "names": sorted(names)}


def entity_of(row: Row) -> Entity:
    """Return the entity of a row."""
    told = {**row, "created_at": row["created_at"].replace(tzinfo=dt.UTC)}  # a large store has thousands
    told.pop("names", None)
    return Entity.model_validate(told)


def redirect_row(redirect: Redirect) -> dict[str, Any]:
    """Return the row of a path that an entity has left."""
    return {**redirect.model_dump(mode="json"), "slug": redirect.path.partition("/")[2]}


def redirect_of(row: Row) -> Redirect:
    """Return the redirect of a row."""
    return Redirect.model_validate(row)


def undoable_row(undoable: Undoable) -> dict[str, Any]:
    """Return the row of what can be taken back."""
    row = undoable.model_dump(mode="json")
    return {**row, "changes": _json(row["changes"])}


def undoable_of(row: Row) -> Undoable:
    """Return what can be taken back of a row."""
    return Undoable.model_validate({**_aware(row), "changes": json.loads(row["changes"])})


def fact_row(fact: Fact) -> dict[str, Any]:
    """Return the row of a fact: written by hand, since a large journal has a million of them to replay."""
    row = {**fact.__dict__}
    for name in _LISTS:
        row[name] = [*row[name]]
    for name in _WORDS:
        row[name] = row[name].value
    for name in _INSTANTS:
        row[name] = to_iso(at) if (at := row[name]) is not None else None
    row["number"] = fact_number(fact.id)
    row |= _derived(fact, row["valid_to"])
    row["source"] = _json(fact.source.model_dump(mode="json"))
    row["beliefs"] = _json([belief.model_dump(mode="json") for belief in fact.beliefs]) if fact.beliefs else "[]"
    return row


def derived_again(row: Row) -> dict[str, Any]:
    """Return what this version makes of a row of `facts_to_derive`; nothing is checked, for the row comes of a fact."""
    values = {key: value for key, value in row.items() if key not in _DERIVED}
    return _derived(Fact.model_construct(**values | {"status": Status(row["status"])}), row["valid_to"])


def _derived(fact: Fact, valid_to: Any) -> dict[str, Any]:
    """Return the columns that follow from the words of a fact; see `derivation`."""
    end = valid_to if ends_at(fact) is not None else None
    return {"renewal_keys": sorted(renewal_keys(fact.text)), "ends_at": end}


def fact_of(row: Row) -> Fact:
    """Return the fact of a row; nothing is checked, for the row comes of a fact.

    That takes half the time, and half the memory: a checked value remembers by itself which fields it was given.
    """
    values = {name: row[name] for name in _FACT_FIELDS}
    for name in _LISTS:
        values[name] = tuple(values[name])
    for name, kind in _WORDS.items():
        values[name] = kind(values[name])
    for name in _INSTANTS:
        values[name] = at.replace(tzinfo=dt.UTC) if (at := values[name]) is not None else None
    values["source"] = Source.model_validate_json(values["source"])
    values["beliefs"] = _BELIEFS.validate_json(told) if (told := values["beliefs"]) != "[]" else ()
    return Fact.model_construct(_FACT_FIELDS, **values)


def life_of(row: Row) -> FactLife:
    """Return what rules on time read of a row of `fact_lives`; nothing is checked, for the row comes of a fact."""
    values = _aware(row)
    used_day, accesses, beliefs = values.pop("used_day"), values.pop("access_count"), values.pop("beliefs")
    values |= {"status": Status(values["status"]), "trust": Trust(values["trust"])}
    values |= {name: tuple(values[name]) for name in ("related", "tags")}
    values["beliefs"] = _BELIEFS.validate_json(beliefs) if beliefs != "[]" else ()
    return FactLife(Fact.model_construct(**values), used_day, accesses)


def usage_row(usage: Usage) -> dict[str, Any]:
    """Return the row of an overlay."""
    row = usage.model_dump(mode="json")
    return {**row, "confirmed_by": _json(row["confirmed_by"])}


def usage_of(row: Row) -> Usage:
    """Return the overlay of a row."""
    return Usage.model_validate({**_aware(row), "confirmed_by": json.loads(row["confirmed_by"])})


def tension_of(row: Row) -> Tension:
    """Return the tension of a row."""
    return Tension.model_validate(_aware(row))


def observation_row(observation: Observation) -> dict[str, Any]:
    """Return the row of an observation."""
    row = observation.model_dump(mode="json")
    return {**row, "suggestion": _json(row["suggestion"]) if row["suggestion"] else None}


def observation_of(row: Row) -> Observation:
    """Return the observation of a row."""
    suggestion = json.loads(row["suggestion"]) if row["suggestion"] else None
    return Observation.model_validate({**_aware(row), "suggestion": suggestion})


def settlement_row(settlement: Settlement) -> dict[str, Any]:
    """Return the row of a decision of a review."""
    row = settlement.model_dump(mode="json")
    return {**row, "before": _json(row["before"]), "after": _json(row["after"])}


def settlement_of(row: Row) -> Settlement:
    """Return the decision of a row."""
    lives = {name: json.loads(row[name]) for name in ("before", "after")}
    return Settlement.model_validate({**_aware(row), **lives})


def handoff_of(row: Row) -> SentHandoff:
    """Return the sent handoff of a row."""
    return SentHandoff.model_validate(_aware(row))


def session_of(row: Row) -> Session:
    """Return the session of a row."""
    return Session.model_validate(_aware(row))


def turn_of(row: Row) -> Turn:
    """Return the turn of a row."""
    return Turn.model_validate(_aware(row))


def note_of(row: Row) -> NoteEntry:
    """Return the note entry of a row."""
    return NoteEntry.model_validate(row)


def _aware(row: Row) -> dict[str, Any]:
    return {
        key: value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value for key, value in row.items()
    }
