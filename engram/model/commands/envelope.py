"""The envelope of a command as every door makes it. No pydantic: the hook path passes here.

It becomes a line of the spool as it is, or a `model.commands.command.Envelope` where the command is recorded in this
process.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.ids import check_command_id
from engram.base.ids import new_id
from engram.model.vocabulary import Actor


class PlainEnvelope(NamedTuple):
    """One command; the fields are those of `model.commands.command.Envelope`, in its order."""

    v: int  # format version
    id: str  # command id; the same id twice is one effect
    kind: str  # write, correct, retract, ...
    at: dt.datetime  # aware; when it was asked for
    actor: Actor
    args: Mapping[str, Any]  # plain JSON
    wants_result: bool  # somebody waits for it
    own_id: bool = False  # whoever asks chose the id, and may choose one again for something else

    def as_json(self) -> dict[str, Any]:
        """Return it as it lies in the spool."""
        found = {**self._asdict(), "at": to_iso(self.at), "actor": self.actor.value, "args": dict(self.args)}
        if not self.own_id:  # an older version reads what has no further field
            del found["own_id"]
        return found


def make_envelope(
    kind: str,
    args: Mapping[str, Any],
    *,
    at: dt.datetime,
    actor: Actor = Actor.USER,
    command_id: str | None = None,
    wants_result: bool = False,
    own_id: bool = False,
) -> PlainEnvelope:
    """Return a command with an id of its own where none is given; raise BadValueError for an id that cannot be one.

    `own_id` says that whoever asks chose the id: used again for something else, it is refused.
    """
    its_id = new_id() if command_id is None else check_command_id(command_id)
    return PlainEnvelope(1, its_id, kind, at, actor, args, wants_result, own_id and command_id is not None)
