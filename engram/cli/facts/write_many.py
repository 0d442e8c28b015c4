"""`engram write --jsonl`: each line answered in order, as soon as its fact is durable."""

import contextlib
import itertools
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from engram.base.json_values import load_json
from engram.cli.facts.write_fields import check_command
from engram.cli.facts.write_fields import write_command
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import open_input
from engram.cli.invocation.results import result_json
from engram.cli.invocation.results import result_text
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import MalformedInputError
from engram.errors import StoreBusyError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.workspace import Workspace

_BATCHES = (16, 64, 256, 1024)  # lines flushed to the disk together: few at first, so that the first answer comes soon
_CHUNK = 1 << 20  # bytes read at a time
MAX_LINE_BYTES = 1 << 20  # of one line


def write_many(asked: Invocation, name: str, *, wait_s: float | None, dry_run: bool) -> int:
    """Write every line of a file or of standard input, then raise MalformedInputError when any line was bad.

    With `dry_run` each line is planned on what is stored now and nothing is written; with `wait_s` 0 each line is only
    made durable.
    """
    workspace = asked.workspace()
    bad: list[str] = []
    with open_input(name) as handle:
        for batch in _batches(handle):
            read = [_read(workspace, line) for _, line in batch]
            envelopes = [one for one in read if isinstance(one, Envelope)]
            results = iter(_plan(workspace, envelopes) if dry_run else _record(workspace, envelopes, wait_s))
            for (number, _), one in zip(batch, read, strict=True):
                bad += _answer(asked, number, next(results) if isinstance(one, Envelope) else one, dry_run=dry_run)
    with contextlib.suppress(StoreBusyError), contextlib.ExitStack() as stack:
        if not dry_run and wait_s != 0:
            workspace.life.refresh_quietly(stack.enter_context(workspace.writing("mirror", wait_s=0)))
    if bad:
        raise MalformedInputError(
            f"{len(bad)} line(s) were refused, the first: {bad[0]}",
            hint="the others are written; send the bad ones again",
        )
    return 0


def _answer(asked: Invocation, number: int, one: CommandResult | EngramError, *, dry_run: bool) -> list[str]:
    """Print the answer to one line, and return what is bad about it, if anything."""
    if isinstance(one, EngramError):
        words = {"status": "refused", "line": number, "error": one.code, "reason": one.message, "hint": one.hint}
        asked.emit_line(words, f"x refused  line {number}: {one.message}")
        return [f"line {number}: {one.message}"]
    plain = result_json(one.model_dump(mode="json"))
    planned = {"dry_run": True} if dry_run else {}
    asked.emit_line({**plain, **planned}, ("would be " if dry_run else "") + result_text(plain))
    return [f"line {number}: {one.reason}"] if one.exit_code == 2 else []


def _plan(workspace: Workspace, envelopes: list[Envelope]) -> list[CommandResult]:
    return [workspace.plan("write", one.args, actor=one.actor)[0] for one in envelopes]


def _record(workspace: Workspace, envelopes: list[Envelope], wait_s: float | None) -> list[CommandResult]:
    """Record them now; when that is not to be waited for, or takes too long, leave them durably in the spool."""
    away: JournalAwayError | None = None
    if envelopes and wait_s != 0:
        try:
            with workspace.writing("write --jsonl", wait_s=wait_s) as recorder:
                return [workspace.store.shared.acknowledged(one) for one in recorder.record(envelopes)]
        except JournalAwayError as problem:
            away = problem
        except StoreBusyError:
            pass
    for envelope in envelopes:
        workspace.spool.put(envelope.model_dump(mode="json"))
    if away is not None:
        return [workspace.store.shared.kept_here(one.kind, one.id, away) for one in envelopes]
    return [CommandResult(command_id=one.id, kind=one.kind, status=Outcome.ACCEPTED) for one in envelopes]


def _read(workspace: Workspace, line: bytes) -> Envelope | EngramError:
    try:
        fields = _fields(line)
        command_id = fields.pop("command_id", None)
        command = write_command(fields)
        check_command(command, workspace.now())
        actor = command.source.actor
        if actor not in [one.value for one in Actor]:
            return BadValueError(f"actor {actor!r} is none", hint="user, agent or tool")
        args = command.as_args()
        return workspace.envelope("write", args, actor=Actor(actor), command_id=command_id, own_id=True)
    except EngramError as problem:
        return problem


def _fields(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise MalformedInputError(f"the line is longer than {MAX_LINE_BYTES >> 20} MiB", hint="one statement a line")
    try:
        fields = load_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise MalformedInputError("the line is not UTF-8 text", hint="convert it to UTF-8 first") from problem
    except ValueError as problem:
        raise MalformedInputError(
            "the line is not JSON", hint='such as {"entity": "people/anna", "fact": "..."}'
        ) from problem
    if not isinstance(fields, dict):
        raise MalformedInputError(
            "the line is not a JSON object", hint='such as {"entity": "people/anna", "fact": "..."}'
        )
    for name in ("dry_run", "semantic_check", "wait"):
        if name in fields:
            raise BadValueError(f"{name!r} cannot be said by line", hint="leave it out")
    return fields


def _batches(handle: BufferedReader) -> Iterator[list[tuple[int, bytes]]]:
    """Yield (line number, line) in batches of what is there, so that a slow writer is answered line by line.

    Of a line that is too long only so much is kept as shows it: it may have no end.
    """
    number, rest = 0, b""
    while data := handle.read1(_CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        rest = rest[: MAX_LINE_BYTES + 1]
        numbered = list(enumerate(lines, number + 1))
        number += len(lines)
        wanted = [(at, line) for at, line in numbered if line.strip()]
        sizes = itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1]))
        while wanted:
            size = next(sizes)
            yield wanted[:size]
            wanted = wanted[size:]
    if rest.strip():
        yield [(number + 1, rest)]
