"""Where agents on this machine keep their transcripts, as their documentation says, and what lies there.

Claude Code: `projects/` below CLAUDE_CONFIG_DIR, else ~/.claude and ~/.config/claude. Codex: `sessions/` and
`archived_sessions/` below CODEX_HOME, else ~/.codex. OpenClaw: `agents/*/sessions/` below OPENCLAW_STATE_DIR, else
`.openclaw` in OPENCLAW_HOME or at home. Gemini CLI: `tmp/*/chats/` below `.gemini` in GEMINI_CLI_HOME or at home.
Transcripts of subagents are passed over: no person speaks in them.
"""

import contextlib
import datetime as dt
import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.home import at_home
from engram.base.json_values import load_json
from engram.base.log import warn
from engram.importers.instants import parse_instant
from engram.importers.transcripts import claude_code
from engram.importers.transcripts import codex
from engram.importers.transcripts import gemini
from engram.importers.transcripts import openclaw

_END_BYTES = 1 << 16  # of a transcript that are read at either end
_NOT_SPOKEN = ("agent-", "journal.")  # beginnings of the names of subagents' files
_NOT_A_SESSION = (".trajectory.", ".checkpoint.", ".deleted.")  # in names of what lies beside sessions


class Found(NamedTuple):
    """One transcript."""

    tool: str
    path: Path
    size: int  # bytes
    written_at: dt.datetime  # when it was last written to, UTC


class Holding(NamedTuple):
    """What one tool has."""

    tool: str
    files: int
    size: int  # bytes
    first: dt.datetime  # when the first line of them with a time was written, UTC
    last: dt.datetime  # and the last one; of a file without such lines, when it was last written to

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        days = {"first": self.first.date().isoformat(), "last": self.last.date().isoformat()}
        return {"tool": self.tool, "files": self.files, "bytes": self.size, **days}


def find_transcripts(environment: Mapping[str, str], home: Path) -> list[Found]:
    """Return the transcripts on this machine, oldest first: what a session repeats was said in the older one."""
    found: dict[Path, Found] = {}
    for tool, path in _candidates(environment, home):
        try:
            status = path.stat()
            real = path.resolve()
        except OSError:
            continue
        if not status.st_size or not path.is_file():
            continue
        if not os.access(path, os.R_OK):
            warn(f"{path} may not be read; it is left out")
            continue
        found.setdefault(real, Found(tool, path, status.st_size, dt.datetime.fromtimestamp(status.st_mtime, dt.UTC)))
    return sorted(found.values(), key=lambda one: (one.written_at, one.path))


def find_openclaw_notes(environment: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which agents of OpenClaw keep notes by their own hand: MEMORY.md, and those by day."""
    folders = (folder for state in _openclaw_folders(environment, home) for folder in _glob(state, "workspace*"))
    return [one for one in folders if (one / "MEMORY.md").is_file() or _glob(one, "memory/*.md")]


def holdings(found: Iterable[Found]) -> list[Holding]:
    """Return what each tool has, by name; reads the beginning and the end of each file."""
    by_tool: dict[str, list[Found]] = {}
    for one in found:
        by_tool.setdefault(one.tool, []).append(one)
    return [_holding(tool, files) for tool, files in sorted(by_tool.items())]


def _holding(tool: str, files: list[Found]) -> Holding:
    spans = [_span(one) for one in files]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    return Holding(tool, len(files), sum(one.size for one in files), first, last)


def _span(one: Found) -> tuple[dt.datetime, dt.datetime]:
    """Return when the first and the last line of a transcript were written, as far as its two ends tell."""
    try:
        with one.path.open("rb") as file:
            head = file.read(_END_BYTES)
            file.seek(max(0, one.size - _END_BYTES))
            tail = file.read(_END_BYTES)
    except OSError:
        return one.written_at, one.written_at
    first = next(_times(head.splitlines()), one.written_at)
    return first, next(_times(reversed(tail.splitlines())), one.written_at)


def _times(lines: Iterable[bytes]) -> Iterator[dt.datetime]:
    for line in lines:
        with contextlib.suppress(ValueError):  # a line that was cut in two, or no JSON
            row = load_json(line)
            if isinstance(row, dict) and row.get("timestamp"):
                yield parse_instant(row["timestamp"], dt.UTC)


def _candidates(environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    for tool, folder, patterns in _roots(environment, home):
        for pattern in patterns:
            for path in _glob(folder, pattern):
                if not path.name.startswith(_NOT_SPOKEN) and not any(part in path.name for part in _NOT_A_SESSION):
                    yield tool, path


def _roots(environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path, tuple[str, ...]]]:
    """Yield each tool's folder and where transcripts lie below it."""
    for folder in _named(environment, "CLAUDE_CONFIG_DIR") or [home / ".claude", home / ".config/claude"]:
        yield claude_code.NAME, folder, ("projects/*/*.jsonl",)
    for folder in _named(environment, "CODEX_HOME") or [home / ".codex"]:
        yield codex.NAME, folder, ("sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl")
    for folder in _openclaw_folders(environment, home):
        yield openclaw.NAME, folder, ("agents/*/sessions/*.jsonl", "agents/*/sessions/*.jsonl.reset.*")
    user_home = next(iter(_named(environment, "GEMINI_CLI_HOME")), home)
    yield gemini.NAME, user_home / ".gemini", ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl")


def _openclaw_folders(environment: Mapping[str, str], home: Path) -> list[Path]:
    user_home = next(iter(_named(environment, "OPENCLAW_HOME")), home)
    return _named(environment, "OPENCLAW_STATE_DIR") or [user_home / ".openclaw"]


def _named(environment: Mapping[str, str], name: str) -> list[Path]:
    value = environment.get(name, "").strip()
    return [at_home(value)] if value else []


def _glob(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError as problem:
        warn(f"{folder} cannot be looked through: {problem.strerror or problem}")
        return []
