"""What the tests of presets share: a workspace with a note, programs on PATH, and a way to set what reads."""

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.child.program import put_program
from tests.heartbeat.notes import put_note
from tests.making import NOW

Put = Callable[[str, str], Path]
NOTE = "# 2026-02-24\n\n- We decided to use PostgreSQL 16 for Billing.\n- We decided to host Billing in Frankfurt.\n"


@pytest.fixture
def noted(workspace: Workspace) -> Workspace:
    """A workspace with one entity and one note about it."""
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(workspace, "main/main/2026-02-24.md", NOTE)
    return workspace


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a program of a name, in a mode, first on PATH; returns the file of its calls."""
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda name, mode: put_program(folder, name, mode)


def reads_with(workspace: Workspace, *, now: dt.datetime = NOW, **settings: Any) -> Workspace:
    """Return the workspace with these settings of the heartbeat, at that time."""
    lines = [f"{name} = {value if isinstance(value, int | float) else repr(value)}" for name, value in settings.items()]
    with (workspace.paths.root / "engram.toml").open("a") as file:
        file.write("\n[heartbeat]\n" + "\n".join(lines) + "\n" if lines else "")
    return open_workspace(str(workspace.paths.root), now=lambda: now)


def extract(workspace: Workspace, *, force: bool = False) -> PhaseResult:
    """Run the extraction phase once."""
    (phase,) = run_heartbeat(workspace, RunOptions(phases=("extraction",), force=force)).phases
    return phase
