"""A small workspace in which every phase has work, runs of it that are killed, and what it holds afterwards.

Used by the tests and by `scripts/soak`.
"""

import contextlib
import datetime as dt
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engram.cli.main import main
from engram.heartbeat.child.phases import child_environment
from engram.heartbeat.report.alerts import AlertFile
from engram.workspace import open_workspace
from tests.sparse import copy_folder

BEFORE = "2026-03-01T09:00:00Z"
AT = dt.datetime(2026, 3, 2, 10, 0, tzinfo=dt.UTC)  # a Monday
AGAIN = "2026-03-02T10:00:00Z"
NOTE = """# 2026-02-24

## Decisions

- We decided to use PostgreSQL 16 for Billing.
- Billing talks to the bank over SEPA
"""
LATER = "# 2026-03-01\n\n## Learnings\n\n- Anna prefers short meetings.\n- Billing now uses PostgreSQL 17.\n"
TURNS = [
    {"id": "t1", "session": "demo", "speaker": "user", "text": "Anna decided to move Billing to Frankfurt."},
    {"id": "t2", "session": "demo", "speaker": "agent", "text": "Noted."},
]
KILLED = -9
_TIMEOUT_S = 120


def prepare(root: Path) -> Path:
    """Make the workspace: notes, a session, a domain, a changed entity, a use, and a command that waits."""
    inside = ["--workspace", str(root), "--now", BEFORE]
    _call("init", str(root), "--timezone", "UTC", "--owner", "nobody", "--now", BEFORE)
    _call(*inside, "config", "embeddings.provider", "none")
    for path, title in (("projects/billing", "Billing"), ("people/anna", "Anna")):
        _call(*inside, "entity", "add", path, "--title", title)
    _call(*inside, "write", "--entity", "people/anna", "--fact", "Anna prefers tea", "--category", "preference")
    _call(*inside, "recall", "what does Anna prefer")
    _call(*inside, "domain", "add", "site", "--type", "dev-project", "--description", "The web site")
    _call(*inside, "domain", "log", "site", "PROPOSAL: move the site to a faster host")
    silo = root / "memory" / "main" / "main"
    silo.mkdir(parents=True, exist_ok=True)
    (silo / "2026-02-24.md").write_text(NOTE, encoding="utf-8")
    (silo / "2026-03-01.md").write_text(LATER, encoding="utf-8")
    workspace = open_workspace(str(root), now=lambda: AT)
    workspace.submit("capture", {"session": "demo", "turns": TURNS}, command_id="captured-1")
    args = {"entity": "people/anna", "text": "Anna moved to Lisbon", "source": {"actor": "user"}}
    workspace.spool.put(workspace.envelope("write", args, command_id="waiting-1").model_dump(mode="json"))
    return root


def run(root: Path, *, kill_at: int | None = None, log: Path | None = None) -> int:
    """Run the heartbeat as a process of its own, killed at a point or not, and return its exit code."""
    faults = {} if kill_at is None else {"ENGRAM_FAULT_AT": str(kill_at)}
    logged = {} if log is None else {"ENGRAM_FAULT_LOG": str(log)}
    given = {**environment(), **faults, **logged}
    done = subprocess.run(command(root), env=given, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode not in {0, KILLED}:
        raise AssertionError(done.stdout + done.stderr)
    return done.returncode


def command(root: Path) -> list[str]:
    """Return the command line of a run."""
    return [sys.executable, "-m", "engram", "--workspace", str(root), "--now", AGAIN, "heartbeat", "run"]


def environment() -> dict[str, str]:
    """Return the environment of a run."""
    return {**child_environment(), "ENGRAM_EMBEDDINGS": "none"}


def points_of_one_run(root: Path, log: Path) -> list[str]:
    """Run once and return the names of the points that were reached, in order."""
    run(root, log=log)
    return log.read_text(encoding="utf-8").split()


def state_after_kill(prepared: Path, folder: Path, point: int) -> dict[str, Any]:
    """Kill a run of a copy at a point, run again, and return what the copy holds then."""
    copied = copy(prepared, folder)
    if run(copied, kill_at=point) != KILLED:
        raise AssertionError(f"nobody died at {point}")
    run(copied)
    return state(copied)


def copy(prepared: Path, folder: Path) -> Path:
    """Return a fresh copy of a workspace, times of files included."""
    return copy_folder(prepared, folder / prepared.name)


def state(root: Path) -> dict[str, Any]:
    """Return all that counts: the tables made of the journal, every file that people read, and what alerts were told.

    Left out are what no two runs have in common: the ids of commands, the positions in the journal at which readers
    stand (what they have read of notes and sessions counts), and the reports, each of which tells of its own run.
    """
    workspace = open_workspace(str(root), now=lambda: AT)
    with workspace.reading() as database:
        tables: dict[str, Any] = database.digests()
        read = database.watermarks("extraction")
    files = {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for folder in (workspace.paths.life, workspace.paths.memory, workspace.paths.ops, workspace.paths.self_file)
        for file in (_files(folder) if folder.is_dir() else [folder])
        if file.parent.name != "heartbeat"
    }
    del tables["commands"], tables["watermarks"]
    told = sorted((one.phase, one.text) for one in AlertFile(workspace.paths.alerts).load() if one.told_at is not None)
    return {**tables, **files, "read": read, "told": told, "waiting": len(workspace.spool.waiting())}


def difference(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Return the names under which two states differ."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def _files(folder: Path) -> Iterable[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


def _call(*args: str) -> None:
    os.environ.setdefault("ENGRAM_EMBEDDINGS", "none")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main([*args, "--json"])
    if code != 0:
        raise AssertionError(f"{args} ended with {code}: {said.getvalue()}")
