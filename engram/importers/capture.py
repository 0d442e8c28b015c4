"""Capturing files: which format each one has, and their turns into the store, exactly once."""

import datetime as dt
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.ids import new_id
from engram.errors import MalformedInputError
from engram.importers.jsonl import read_jsonl
from engram.importers.markdown import read_markdown
from engram.model.command import CommandResult
from engram.model.command import Envelope
from engram.model.conversation import Turn
from engram.services.capturing import BadLine
from engram.services.capturing import Transcript
from engram.services.capturing import capture_commands
from engram.services.capturing import keep_since
from engram.services.capturing import make_turns
from engram.workspace import Workspace

FORMATS = ("auto", "jsonl", "markdown")
STDIN = "-"

_JSONL_ENDINGS = frozenset([".jsonl", ".ndjson"])
_MARKDOWN_ENDINGS = frozenset([".md", ".markdown", ".txt"])
_SHOWN_SESSIONS = 5  # names in the text for people
_TURNS_AT_ONCE = 2000  # turns from which capture commands share one flush to the disk, whole commands only


class FileReport(NamedTuple):
    """What one file held."""

    path: str
    format: str  # jsonl or markdown
    turns: int  # turns read, before known ones are left out
    too_old: int  # turns before --since
    torn: bool  # the last line is still being written and waits
    bad: list[BadLine]


class CaptureReport(NamedTuple):
    """What became of a capture."""

    captured: int  # new turns
    known: int  # turns that were stored before
    files: list[FileReport]
    sessions: list[str]  # names, sorted
    refused: list[str]  # reasons for which a whole command was refused
    dry_run: bool

    @property
    def has_bad_input(self) -> bool:
        """Tell whether any line or command was left out for what it holds."""
        return bool(self.refused) or any(file.bad for file in self.files)

    def complaints(self) -> list[str]:
        """Return a sentence for each line or command that was left out for what it holds."""
        lines = [
            f"{file.path}:{bad.line}: {bad.field or 'line'}: {bad.message}" for file in self.files for bad in file.bad
        ]
        return [*lines, *(f"refused: {reason}" for reason in self.refused)]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        files = [{**file._asdict(), "bad": [line._asdict() for line in file.bad]} for file in self.files]
        return {**self._asdict(), "files": files}

    def as_text(self) -> str:
        """Return the report for people."""
        would = "would capture" if self.dry_run else "captured"
        shown = self.sessions if len(self.sessions) <= _SHOWN_SESSIONS else [f"{len(self.sessions)} sessions"]
        lines = [f"{would} {self.captured} turns, {self.known} known already ({', '.join(shown) or 'no session'})"]
        lines += [f"{file.path}: {file.too_old} turns before --since left out" for file in self.files if file.too_old]
        lines += [
            f"{file.path}: the last line is still being written (torn); it waits" for file in self.files if file.torn
        ]
        return "\n".join(lines)


def capture_files(
    workspace: Workspace,
    names: Sequence[str],
    *,
    file_format: str,
    session: str | None,
    since: dt.datetime | None,
    dry_run: bool,
) -> CaptureReport:
    """Capture the turns of files (`-` is standard input) and return what became of them.

    Every file is read before anything is stored. Turns that are stored already are left out, so the same file
    twice adds nothing. Raises MalformedInputError when a file cannot be read, StoreBusyError when the store is not free
    in time.
    """
    reports: list[FileReport] = []
    turns: list[Turn] = []
    for name in names:
        data = _read(name)
        form = _format_of(name, data) if file_format == "auto" else file_format
        transcript = _transcript(name, data, form, session, workspace)
        kept = keep_since(transcript.turns, since)
        path = None if name == STDIN else workspace.paths.relative(Path(name).resolve())
        turns += make_turns(kept, path=path)
        too_old = len(transcript.turns) - len(kept)
        reports.append(FileReport(path or STDIN, form, len(transcript.turns), too_old, transcript.torn, transcript.bad))
    sessions = sorted({turn.session for turn in turns})
    if dry_run:
        known = _count_known(workspace, turns)
        return CaptureReport(len(turns) - known, known, reports, sessions, [], dry_run=True)
    known, results = _record(workspace, turns)
    refused = [result.reason or "refused" for result in results if result.exit_code]
    captured = sum(int(result.details.get("captured", 0)) for result in results)
    return CaptureReport(captured, known, reports, sessions, refused, dry_run=False)


def _read(name: str) -> bytes:
    if name == STDIN:
        data = sys.stdin.buffer.read()
        return (
            data if data.endswith(b"\n") else data + b"\n"
        )  # a stream that ended does not grow: no line of it is torn
    try:
        return Path(name).read_bytes()
    except OSError as problem:
        why = problem.strerror or "it cannot be read"
        raise MalformedInputError(
            f"cannot read {name}: {why}", hint="check the file name; nothing was captured"
        ) from problem


def _format_of(name: str, data: bytes) -> str:
    ending = Path(name).suffix.lower()
    if ending in _JSONL_ENDINGS:
        return "jsonl"
    if ending in _MARKDOWN_ENDINGS:
        return "markdown"
    return "jsonl" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "markdown"


def _transcript(name: str, data: bytes, form: str, session: str | None, workspace: Workspace) -> Transcript:
    zone = workspace.settings.zone
    if form == "jsonl":
        return read_jsonl(data, session=session, zone=zone)
    try:
        return read_markdown(data, name=Path(name).name, session=session, zone=zone)
    except MalformedInputError as problem:
        bad = BadLine(int(problem.details.get("line", 0)), "", problem.message)
        return Transcript([], [bad])


def _count_known(workspace: Workspace, turns: Sequence[Turn]) -> int:
    with workspace.reading() as database:
        known = database.known_ids("turn", [turn.id for turn in turns])
    return sum(turn.id in known for turn in turns)


def _record(workspace: Workspace, turns: Sequence[Turn]) -> tuple[int, list[CommandResult]]:
    """Record the turns that are new and return how many were known, with one result per command.

    Each batch of commands is durable when the next one begins.
    """
    results: list[CommandResult] = []
    if not turns:
        return 0, results
    with workspace.writing("capture") as recorder:
        known = recorder.database.known_ids("turn", [turn.id for turn in turns])
        for batch in _batches(capture_commands([turn for turn in turns if turn.id not in known])):
            results += recorder.record(
                [Envelope(id=new_id(), kind="capture", at=workspace.now(), args=args) for args in batch]
            )
    return sum(turn.id in known for turn in turns), results


def _batches(commands: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the commands in order, as many together as hold 2,000 turns."""
    batch: list[dict[str, Any]] = []
    held = 0
    for args in commands:
        batch.append(args)
        held += len(args["turns"])
        if held >= _TURNS_AT_ONCE:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
