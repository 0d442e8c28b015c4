"""Machines that share a journal: workspace folders of their own over one server."""

import datetime as dt
import os
from pathlib import Path

from engram.operations.setup import make_workspace
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW


def make_machine(root: Path, url: str, *, name: str = "team", more: str = "") -> Path:
    """Make a workspace folder that follows the journal of that name."""
    make_workspace(root, {"timezone": "UTC", "owner": "nobody"}, now=lambda: NOW, force=False, dry_run=False)
    with (root / "engram.toml").open("a") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
        if url:
            settings.write(f'\n[journal]\nurl = "{url}"\nworkspace = "{name}"\n{more}')
    return root


def opened(root: Path, now: dt.datetime = NOW) -> Workspace:
    return open_workspace(str(root), now=lambda: now)


def write(workspace: Workspace, text: str, entity: str = "people/anna", **more: object) -> str:
    """Write a fact and return its status."""
    return str(workspace.submit("write", {"entity": entity, "text": text, "create": True}, **more).status)  # type: ignore[arg-type]


def look_again(workspace: Workspace) -> None:
    """Let the next question look what other machines wrote, as it does some seconds after the last look.

    Also after a look that failed slowly, as any does on a busy machine.
    """
    (workspace.paths.locks / "journal.away").unlink(missing_ok=True)
    if workspace.paths.replica.exists():
        os.utime(workspace.paths.replica, (0, 0))


def texts(workspace: Workspace) -> list[str]:
    look_again(workspace)
    with workspace.reading() as database:
        return sorted(fact.text for fact in database.list_facts(FactFilter()))


def lines_of(workspace: Workspace) -> list[bytes]:
    return [line for _, line in workspace.journal.read()]


def digests_of(workspace: Workspace) -> dict[str, str]:
    look_again(workspace)
    with workspace.reading() as database:
        return database.digests()
