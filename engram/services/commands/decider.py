"""What every command shares on its way from an envelope to a decision."""

import contextlib
import datetime as dt
import functools
import json
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar
from typing import runtime_checkable

from pydantic import BaseModel
from pydantic import TypeAdapter
from pydantic import ValidationError

from engram.base.text import has_control
from engram.base.text import require_plain
from engram.base.text import texts_of
from engram.errors import AmbiguousNameError
from engram.errors import BadValueError
from engram.errors import UnknownEntityError
from engram.errors import UnknownObservationError
from engram.errors import unknown_fact
from engram.model.changes.change import Change
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.field_errors import wrong_field
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.observation import Observation
from engram.ports.database import SliceKeys
from engram.rules.writes.derivation import split_ids
from engram.services.commands.renewal_index import RenewalIndex

Args = TypeVar("Args", bound=BaseModel)


class Context(NamedTuple):
    """What a decision may know besides the state."""

    now: dt.datetime  # when the command was asked for
    zone: dt.tzinfo  # of the workspace
    patterns: tuple[str, ...] = ()  # expressions of the settings that tell an order to the agent
    recalled: Callable[[str], str | None] | None = None  # the id as which recall gave a text out lately
    renewals: RenewalIndex | None = None  # the facts of the state by what renews them; None: looked through each time


class Decided(NamedTuple):
    """A result and the changes that bring it about."""

    result: CommandResult
    changes: tuple[Change, ...] = ()


@runtime_checkable
class Following(Protocol):
    """A command that learns from what it sees what else it needs to see."""

    def further_keys(self, state: State) -> SliceKeys:
        """Return what more of the state the decision needs, as far as it is known by now."""
        ...


class Decider(Protocol):
    """One command, read and checked: says what it needs to see, then decides. Pure."""

    def keys(self) -> SliceKeys:
        """Return what of the state the decision needs."""
        ...

    def decide(self, state: State) -> Decided:
        """Return the decision; raise an EngramError to refuse."""
        ...


def read_args(model: type[Args], envelope: Envelope) -> Args:
    """Return the command's arguments as a value; raise BadValueError that names the first bad field."""
    return read_fields(model, envelope.args)


def read_fields(model: type[Args], fields: Mapping[str, Any]) -> Args:
    """Return a value from plain fields; raise BadValueError that names the first bad field."""
    require_plain(fields)
    try:
        return model.model_validate_json(_json(dict(fields)), strict=False)
    except UnicodeEncodeError as problem:
        raise BadValueError("a text holds broken UTF-8", hint="pass plain text") from problem
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "value"
        is_unknown = first["type"] == "extra_forbidden"
        what = f"{where}: is not a field here" if is_unknown else wrong_field(where, first)
        raise BadValueError(what, hint="engram write --help lists the fields", field=where) from problem


def read_all(model: type[Args], rows: Sequence[Mapping[str, Any]]) -> list[Args]:
    """Return a value for each row of plain fields, as `read_fields` does, in one reading when nothing is wrong."""
    if not any(has_control("\n".join(texts_of(value))) for row in rows for value in row.values()):
        with contextlib.suppress(ValidationError, UnicodeEncodeError):
            return _list_of(model).validate_json(_json(rows))
    return [read_fields(model, row) for row in rows]


@functools.cache
def _list_of(model: type[Args]) -> TypeAdapter[list[Args]]:
    return TypeAdapter(list[model])  # type: ignore[valid-type]  # a class known only here


def find_entity(state: State, name: str) -> Entity | None:
    """Return the entity of a path, title, alias or slug; None when unknown; AmbiguousNameError when several fit."""
    found = state.find_entities(name)
    if len(found) > 1:
        raise AmbiguousNameError(f"{name!r} can mean {' or '.join(found)}", near=found)
    return state.entities[found[0]] if found else None


def get_entity(state: State, name: str) -> Entity:
    """Return the entity of a name; raise UnknownEntityError."""
    entity = find_entity(state, name)
    if entity is None:
        raise UnknownEntityError(f"no entity is called {name!r}", name=name)
    return entity


def get_fact(state: State, fact_id: str) -> Fact:
    """Return the fact of an id, full or short; raise UnknownFactError or AmbiguousNameError."""
    full = fact_id.casefold()
    if full in state.facts:
        return state.facts[full]
    found = sorted(known for known in state.facts if known.partition("/")[2] == full)
    if len(found) > 1:
        raise AmbiguousNameError(f"{fact_id!r} can mean {' or '.join(found)}", near=found)
    if not found:
        raise unknown_fact(fact_id, next(iter(state.find_entities(fact_id)), ""))
    return state.facts[found[0]]


def get_observation(state: State, observation_id: str) -> Observation:
    """Return the observation of an id; raise UnknownObservationError."""
    found = state.observations.get(observation_id.casefold())
    if found is None:
        raise UnknownObservationError(f"no observation has the id {observation_id!r}", id=observation_id)
    return found


def get_sources(state: State, ids: Sequence[str]) -> list[Fact | Observation]:
    """Return the facts and observations of these ids, in order and each once; raise UnknownFactError and the like."""
    facts, _ = split_ids(ids)
    found = (get_fact(state, one) if one in facts else get_observation(state, one) for one in ids)
    return list({source.id: source for source in found}.values())


def done(envelope: Envelope, **fields: Any) -> CommandResult:
    """Return the result of a change that is not a write."""
    return CommandResult(command_id=envelope.id, kind=envelope.kind, status=Outcome.DONE, **fields)


def _json(fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False, default=str).encode()
