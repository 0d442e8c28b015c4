"""A workspace that is made of an archive: the same store in a folder of its own."""

import datetime as dt
import tempfile
from collections.abc import Callable
from pathlib import Path

from engram.base.disk.home import at_home
from engram.config.words import NOBODY
from engram.errors import RefusedError
from engram.importers.archive_import import import_archive
from engram.importers.import_report import ImportReport
from engram.operations.setup import make_workspace
from engram.services.facts.listing import get_entity_path
from engram.workspace import Workspace
from engram.workspace import open_workspace


def import_into(
    path: Path, folder: str, *, now: Callable[[], dt.datetime], as_own: bool, dry_run: bool
) -> ImportReport:
    """Make a workspace in a new or an empty folder, and take the archive over into it; its owner is the archive's.

    Raises RefusedError for a folder with something in it, and whatever `import_archive` raises.
    """
    root = at_home(folder).resolve()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise RefusedError(f"{root} is not empty, and this makes a workspace of its own", hint="name a new folder")
    with tempfile.TemporaryDirectory() as beside:  # what is no archive leaves no folder behind
        plan = import_archive(_ownerless(Path(beside, "plan"), now), path, as_own=as_own, dry_run=True)
    if dry_run:
        return plan
    workspace = _ownerless(root, now)
    report = import_archive(workspace, path, as_own=as_own)
    if (owner := _owner_of(workspace)) is not None:
        make_workspace(root, {"owner": owner}, now=now, force=True, dry_run=False)
    return report


def _ownerless(root: Path, now: Callable[[], dt.datetime]) -> Workspace:
    """Make a workspace that knows nothing, not even whose it is."""
    make_workspace(root, {"owner": NOBODY}, now=now, force=False, dry_run=False)
    return open_workspace(str(root), now=now)


def _owner_of(workspace: Workspace) -> str | None:
    """Return the path of the person who was made the owner last, as it is called now; None when nobody was."""
    results = [one.result for record, _ in workspace.journal.read() for one in record.decisions]
    made = [result.id for result in results if result.kind == "owner" and result.id is not None]
    if not made:
        return None
    with workspace.reading() as database:
        return get_entity_path(database, made[-1])
