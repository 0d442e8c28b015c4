"""One fact made durable, and what became of it: for `write` and `signal --write`. Light until its turn comes.

`engram write` goes a short way where its arguments are plain (`cli.facts.short_write`), and click is not loaded here.
"""

import json
import time
from typing import Any

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.asked import Spooled
from engram.cli.invocation.results import answer_result
from engram.cli.invocation.results import result_json
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.config.wait_setting import read_wait_s
from engram.errors import EncryptionKeyError
from engram.errors import SettingsError
from engram.model.commands.envelope import make_envelope
from engram.model.commands.write_command import WriteCommand
from engram.model.vocabulary import Actor
from engram.store.spool import Spool

_ACCEPTED: dict[str, Any] = {  # model.commands.command.CommandResult as JSON, before anything is known
    "status": "accepted",
    "id": None,
    "kind": "write",
    "superseded": [],
    "tensions": [],
    "similar": [],
    "reason": None,
    "error": None,
    "exit_code": 0,
    "hint": None,
    "details": {},
    "fact": None,
}


def record_fact(
    asked: Invocation, command: WriteCommand, *, wait_s: float | None = None, command_id: str | None = None
) -> dict[str, Any]:
    """Make the command durable, wait for its result, and return it as plain JSON.

    The store itself is opened only when it is our turn. With `wait_s` 0 the result is `accepted` at once. A command
    that `asked` says is spooled already is not spooled again.
    """
    paths = find_workspace(asked.workspace_dir)
    spooled = asked.spooled or spool_fact(asked, paths, command, wait_s=wait_s, command_id=command_id)
    found = result_of_others(paths, spooled)
    return _settled(asked, spooled) if found is None else found


def spool_fact(
    asked: Invocation,
    paths: Paths,
    command: WriteCommand,
    *,
    wait_s: float | None = None,
    command_id: str | None = None,
) -> Spooled:
    """Make the command durable; `wait_s` is how long its result is waited for, None as the settings say.

    Raises EngramError before anything is kept.
    """
    wait = read_wait_s(paths) if wait_s is None else wait_s
    envelope = make_envelope(
        "write",
        command.as_args(),
        at=asked.now(),
        actor=Actor(command.source.actor),
        command_id=command_id,
        wants_result=wait > 0,
        own_id=True,
    )
    kept = Spool(paths.spool).put(envelope.as_json())
    return Spooled(envelope, kept.name, time.monotonic() + wait, is_awaited=wait > 0)


def result_of_others(paths: Paths, spooled: Spooled) -> dict[str, Any] | None:
    """Wait for the result that another process leaves; None when this one should apply the command itself.

    Of a command that nobody waits for it is known at once: `accepted`.
    """
    if not spooled.is_awaited:
        return {**_ACCEPTED, "command_id": spooled.envelope.id}
    left = Spool(paths.spool).await_result(spooled.name, spooled.deadline)
    if left is None:
        return None
    found: dict[str, Any] = json.loads(left)
    return found


def answer_recorded(asked: Invocation, result: dict[str, Any], *, wait_s: float | None) -> int:
    """Print what became of a fact, and return the exit code."""
    if wait_s == 0:  # asked for: no word about a busy store
        guessed = {"guessed": result["guessed"]} if "guessed" in result else {}
        asked.emit({**result_json(result), **guessed}, f"accepted  {result['command_id']}")
        return 0
    return answer_result(asked, result)


def _settled(asked: Invocation, spooled: Spooled) -> dict[str, Any]:
    from engram.model.commands.command import Envelope  # noqa: PLC0415 - loads pydantic, as opening the store does

    own_id = spooled.envelope.id
    try:
        workspace = asked.workspace()
        if asked.ends_process and asked.now_at is None:
            workspace.spool.serve()
            asked.afterwards = workspace.commands.serve_others
        envelope = Envelope(**spooled.envelope._asdict())
        return workspace.commands.await_result(envelope, spooled.name, spooled.deadline).model_dump(mode="json")
    except (SettingsError, EncryptionKeyError) as problem:
        then = "the settings are mended" if isinstance(problem, SettingsError) else "the key is back"
        kept = f"{problem.message}; the fact is kept as command {own_id} and applied once {then}"
        raise type(problem)(kept, hint=problem.hint, command_id=own_id) from problem
