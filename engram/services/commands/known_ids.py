"""What a command gets whose id is known: the result that it had, unless its sender asked for something else then."""

import json
from typing import Any
from typing import Final

from engram.base.text import sha256_hex
from engram.errors import RefusedError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.vocabulary import ASKED

_LENGTH: Final = 16  # hexadecimal digits of a digest: nobody is to be misled, and no two are ever mistaken
_ABOUT_THE_DOOR: Final = frozenset({"source"})  # where it was said may be another place the second time


def asked_in(envelope: Envelope) -> dict[str, Any]:
    """Return the details by which the same command is known again; none where its id was made for it."""
    return {ASKED: _digest(envelope)} if envelope.own_id else {}


def require_same(envelope: Envelope, known: CommandResult) -> None:
    """Raise RefusedError when the id of a command was chosen before, for something else."""
    if not envelope.own_id:
        return
    before = known.details.get(ASKED, _digest(envelope))  # of what an older version recorded only the kind is known
    if known.kind != envelope.kind or before != _digest(envelope):
        raise RefusedError(
            f"the id {envelope.id!r} was used before, for something else",
            hint=f"choose another id for another change; engram status {envelope.id} says what became of that one",
            command_id=envelope.id,
        )


def _digest(envelope: Envelope) -> str:
    """Return a digest of what a command asks for; what is left out is the same as what is said to be nothing."""
    said = {name: value for name, value in envelope.args.items() if value and name not in _ABOUT_THE_DOOR}
    plain = json.dumps([envelope.kind, said], ensure_ascii=False, sort_keys=True)
    return sha256_hex(plain)[:_LENGTH]
