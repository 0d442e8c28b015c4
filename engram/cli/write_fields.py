"""The options of `write` as the command's arguments, for one fact and for JSON lines. Light."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from engram.base.dates import parse_moment
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import parse_entity_path
from engram.base.text import require_plain
from engram.errors import BadValueError
from engram.model.vocabulary import CAN_BE_UNDONE

_LISTS = frozenset({"tags", "related", "supersedes", "derived_from"})
_PLAIN = frozenset(
    {
        "entity",
        "category",
        "confidence",
        "abstraction",
        "attribute",
        "value",
        "trust",
        "scope",
        "valid_from",
        "valid_to",
        "valid_from_precision",
        "valid_to_precision",
        "candidate",
        "create",
        "title",
    }
)
_SOURCE = frozenset({"source", "session", "actor"})
FIELDS = _LISTS | _PLAIN | _SOURCE | {"fact"}
_NEEDED = {"entity": "--entity people/NAME", "fact": "--fact 'one statement'"}


def write_args(given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the arguments of the `write` command and the actor.

    Raises BadValueError for an unknown field, a missing one, or a list that is none.
    """
    for name in given:
        if name not in FIELDS:
            raise BadValueError(f"{name!r} is not a field of a fact", hint=f"fields: {', '.join(sorted(FIELDS))}")
    for name, example in _NEEDED.items():
        if given.get(name) is None:
            raise BadValueError(f"{name} is missing", hint=f"such as {example}", field=name)
    actor = given.get("actor", "user")
    args = {name: given[name] for name in _PLAIN if given.get(name) is not None}
    args |= {name: _listed(name, given[name]) for name in _LISTS if given.get(name)}
    source = {"actor": actor, "session": given.get("session"), "label": given.get("source")}
    args["text"] = given["fact"]
    args["source"] = {name: value for name, value in source.items() if value is not None}
    return args, actor


def check_fields(args: Mapping[str, Any], now: dt.datetime) -> None:
    """Refuse at the door what the rules would refuse for its form alone; raises BadValueError."""
    require_plain(args)
    entity, text = str(args["entity"]), str(args["text"])
    if "/" in entity and parse_entity_path(entity) is None:
        raise BadValueError(
            f"--entity {entity!r} is not an entity path", hint="such as people/anna or projects/billing"
        )
    if not entity.strip():
        raise BadValueError("--entity is empty", hint="such as people/anna or projects/billing")
    if not text.strip():
        raise BadValueError("--fact is empty", hint="say one statement")
    if len(text) > MAX_FACT_CHARS * 2:  # the exact limit holds after normal form and redaction; see the rules
        raise BadValueError(f"--fact has {len(text)} characters; {MAX_FACT_CHARS} is the most", hint="split it")
    for name in ("valid_from", "valid_to"):
        if name in args:
            option = "--" + name.replace("_", "-")
            parse_moment(str(args[name]), zone=dt.UTC, now=now, name=option)


def mark_undoable(args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a `write` command that `engram undo` can take back."""
    return {**args, CAN_BE_UNDONE: True}


def _listed(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return list(value)
    raise BadValueError(f"{name} is not a list of texts", hint=f"such as {name}: ['a', 'b']", field=name)
