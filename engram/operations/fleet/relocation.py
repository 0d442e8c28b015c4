"""Moving a workspace of a fleet to another folder or host while it is written to.

The journal is the server's, and stays. What lies in the folder alone, such as notes, goes along: the folder is renamed
first, so whatever was acknowledged there is in what is taken, and whoever writes there afterwards is told that no
workspace is there. Nothing is deleted: after a move to another host the renamed folder stays.
"""

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Final

from engram.base.clock import utc_now
from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.config.paths import Paths
from engram.config.settings_file import change_setting
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.model.fleet import Lease as Turn
from engram.model.fleet import Member
from engram.operations.setup import make_workspace
from engram.operations.use_count import fold_accesses
from engram.services.backup.contents import list_contents
from engram.store.fleet_place import open_registry
from engram.store.lease import Lease
from engram.store.locks import QueuedLock
from engram.workspace import open_workspace

if TYPE_CHECKING:
    from engram.store.postgres.fleet_registry import FleetRegistry

LEASE_S: Final = 120.0  # of whoever moves a workspace by hand
_PATIENCE_S: Final = 60.0  # that a move waits for a tick to end
_POLL_S: Final = 0.2
_MARKER: Final = "This workspace of a fleet was moved: engram fleet list says where it is.\n"
_SETTLE_S: Final = 0.5  # for those who had a file open when its folder was renamed


def move_member(
    url: str, name: str, host: str, folder: str | None, *, here: str, host_is_gone: bool, dry_run: bool = False
) -> Member:
    """Move a workspace to a host, or to a folder of one, and return how it stands then.

    Where its folder is on this host, it has moved when this returns; else a worker of its host hands it over at its
    next turn. With `host_is_gone` nobody is waited for: its journal is on the server, its notes were on the host alone.
    A dry run looks whether it can move, and moves nothing. Raises NotFoundError, RefusedError for a folder that is not
    empty, StoreBusyError when a tick does not end in time.
    """
    registry = open_registry(url)
    try:
        member = registry.get(name)
        if folder is not None and host == here:
            _require_free(Path(folder))
            if member.folder and Path(folder).is_relative_to(member.folder):
                raise RefusedError(f"{folder} lies within the folder that is to be moved", hint="name one beside it")
        if dry_run:
            return member
        if host_is_gone:
            registry.abandon(name, host, folder)
            return registry.get(name)
        registry.begin_move(name, host, folder)
        if member.host in {None, here}:
            lease = _take(registry, name, here)
            hand_over(registry, lease, here)
        return registry.get(name)
    finally:
        registry.close()


def hand_over(registry: "FleetRegistry", lease: Turn, here: str) -> None:
    """Bring a workspace that moves to where it goes, under its lease; goes on with a hand-over that was cut short."""
    member, files = lease.member, dict[str, bytes]()
    goal = Path(member.to_folder) if member.to_folder else None
    stays_here = member.to_host == here and goal is not None
    former = Path(member.folder) if member.folder else None
    if former is not None:
        aside = former.with_name(f"{former.name}.moved")
        if Paths(former).settings.exists():
            if aside.exists():
                aside = former.with_name(f"{former.name}.moved-{lease.fence}")
            _rename_at_rest(former, aside)
            fault_point("within-fleet-move")
        else:
            aside = _latest_aside(former)
        if stays_here and goal is not None:
            if aside.exists():
                _put(aside, goal)
        else:
            files = _files_of(aside)
    registry.end_move(lease, files)


def settle_in(registry: "FleetRegistry", lease: Turn, root: Path, url: str) -> Path:
    """Return the folder of a workspace on this host, made if there is none, with what it brought along.

    Raises RefusedError for one whose settings name another workspace: the lease is not for that one's journal.
    """
    member = lease.member
    folder = Path(member.folder) if member.folder else root / member.workspace
    paths = Paths(folder)
    if not paths.settings.exists():
        _make(folder, registry.files_of(member.workspace), url, member.workspace)
    named = open_workspace(str(folder)).settings.journal.workspace
    if named not in {"", member.workspace}:
        why = f"journal.workspace of {folder} is {named!r} and not {member.workspace!r}"
        raise RefusedError(why, hint=f"engram --workspace {folder} config journal.workspace {member.workspace}")
    if member.folder is None:
        registry.keep_place(lease, str(folder))
    registry.drop_files(member.workspace)
    return folder


def _make(folder: Path, files: dict[str, bytes], url: str, name: str) -> None:
    """Make the folder beside its place and rename it there: it is there whole or not at all."""
    made = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(made, ignore_errors=True)  # of an attempt that was cut short
    make_folder(made)
    for path, content in files.items():
        make_folder((made / path).parent)
        write_durably(made / path, content)
    paths = Paths(made)
    if files:
        for part in paths.folders():
            make_folder(part, root=made)
    else:
        make_workspace(made, {"owner": "nobody"}, now=utc_now, force=False, dry_run=False)
    change_setting(paths, "journal.workspace", name, dry_run=False)
    change_setting(paths, "journal.url", url, dry_run=False)
    _clear_marker(folder)
    made.rename(folder)
    fsync_folder(folder.parent)


def _take(registry: "FleetRegistry", name: str, host: str) -> Turn:
    deadline = time.monotonic() + _PATIENCE_S
    while (lease := registry.take(f"{host}/{os.getpid()}", host, LEASE_S, name=name)) is None:
        if time.monotonic() >= deadline:
            raise StoreBusyError(
                f"{name} is in the hands of {registry.get(name).worker}",
                hint="it is handed over after that; engram fleet list tells when",
            )
        time.sleep(_POLL_S)
    return lease


def _rename_at_rest(former: Path, aside: Path) -> None:
    """Rename the folder while no heartbeat and no command of it is under way, and leave a file in its place.

    With a file there, a process that has the folder's name in hand can make no folder below it, so it keeps nothing.
    """
    paths = Paths(former)
    deadline = time.monotonic() + _PATIENCE_S
    while Lease(paths.heartbeat_lock, "fleet move", 1.0).holder() is not None:
        if time.monotonic() >= deadline:
            raise StoreBusyError(f"a heartbeat runs in {former}", hint="it is handed over after that")
        time.sleep(_POLL_S)
    with QueuedLock(paths.locks / "store.lock", "fleet move").hold(wait_s=_PATIENCE_S):
        former.rename(aside)
        former.write_text(_MARKER, encoding="utf-8")
    fsync_folder(former.parent)
    time.sleep(_SETTLE_S)


def _latest_aside(former: Path) -> Path:
    found = sorted(former.parent.glob(f"{former.name}.moved*"), key=lambda one: one.stat().st_mtime)
    return found[-1] if found else former


def _put(aside: Path, goal: Path) -> None:
    goal.parent.mkdir(parents=True, exist_ok=True)
    _clear_marker(goal)
    if goal.is_dir():
        goal.rmdir()  # which was empty when it was looked at
    try:
        aside.rename(goal)
    except OSError:  # another disk
        part = goal.with_name(f".{goal.name}.new")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(aside, part, symlinks=True)
        part.rename(goal)
    fsync_folder(goal.parent)


def _files_of(aside: Path) -> dict[str, bytes]:
    """Deliver what waits in the folder's spool, and return its files that cannot be made again, but for the journal."""
    if not aside.exists():
        return {}
    workspace = open_workspace(str(aside))
    with workspace.writing("fleet move"):
        pass  # entering drains the spool
    workspace.store.refresh_mirror(thorough=True)  # what people edited in life/ becomes facts
    fold_accesses(workspace)
    paths = workspace.paths
    journal = f"{paths.relative(paths.journal)}/"
    named = [one for one in list_contents(paths).paths if not one.startswith(journal)]
    return {one: read_own(paths.root / one) for one in named}


def _clear_marker(folder: Path) -> None:
    if _is_marker(folder):
        folder.unlink()


def _is_marker(folder: Path) -> bool:
    return folder.is_file() and read_own(folder) == _MARKER.encode()


def _require_free(folder: Path) -> None:
    if _is_marker(folder):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RefusedError(f"{folder} is not empty", hint="name a folder that is not there yet", path=str(folder))
