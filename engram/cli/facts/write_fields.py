"""The options of `write` as the command's arguments, for one fact and for JSON lines. Light."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from engram.base.dates import parse_moment
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import parse_entity_path
from engram.base.text import require_plain
from engram.errors import BadValueError
from engram.model.commands.write_command import LIST_FIELDS
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.model.vocabulary import Actor

FROM_OUTSIDE = [actor.value for actor in (Actor.USER, Actor.AGENT, Actor.TOOL)]
"""Who may be named as the one who says something."""
_OWN = frozenset({"text", "corrects", "said_as", CAN_BE_UNDONE})  # of the command, which no option is
_SOURCE = frozenset({"source", "session", "actor"})
_PLAIN = frozenset(WriteCommand._fields) - LIST_FIELDS - _OWN - _SOURCE
FIELDS = LIST_FIELDS | _PLAIN | _SOURCE | {"fact"}
_NEEDED = {"entity": "--entity people/NAME", "fact": "--fact 'one statement'"}


def write_command(given: Mapping[str, Any]) -> WriteCommand:
    """Return the `write` command that options or the fields of a line mean.

    Raises BadValueError for an unknown field, a missing one, or a list that is none.
    """
    for name in given:
        if name not in FIELDS:
            raise BadValueError(f"{name!r} is not a field of a fact", hint=f"fields: {', '.join(sorted(FIELDS))}")
    for name, example in _NEEDED.items():
        if given.get(name) is None:
            raise BadValueError(f"{name} is missing", hint=f"such as {example}", field=name)
    source = WriteSource(given.get("actor", "user"), session=given.get("session"), label=given.get("source"))
    fields = {name: given[name] for name in _PLAIN if given.get(name) is not None}
    fields |= {name: _listed(name, given[name]) for name in LIST_FIELDS if given.get(name)}
    return WriteCommand(**fields, text=given["fact"], source=source)


def check_command(command: WriteCommand, now: dt.datetime) -> None:
    """Refuse at the door what the rules would refuse for its form alone; raises BadValueError."""
    args = command.as_args()
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
    check_length(text)
    for name in ("valid_from", "valid_to"):
        if name in args:
            option = "--" + name.replace("_", "-")
            parse_moment(str(args[name]), zone=dt.UTC, now=now, name=option)


def check_length(text: str) -> None:
    """Refuse what is far too long to be a statement, before anything is read in it; raises BadValueError."""
    if len(text) > MAX_FACT_CHARS * 2:  # the exact limit holds after normal form and redaction; see the rules
        raise BadValueError(f"--fact has {len(text)} characters; {MAX_FACT_CHARS} is the most", hint="split it")


def _listed(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return list(value)
    raise BadValueError(f"{name} is not a list of texts", hint=f"such as {name}: ['a', 'b']", field=name)
