"""A cheap look at everything that a run reads, by which a tick knows that nothing has come since the last one.

Only names, sizes and times of files are looked at; nothing is opened. The digest of the look at the end of a run is
kept in the words of the heartbeat's lease.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import engram
from engram.base.clock import local_day
from engram.errors import EngramError
from engram.rules.domain import needs_alert
from engram.services.backup.state import backup_folder_of
from engram.services.backup.state import is_due
from engram.services.backup.state import load_backup_state
from engram.services.domains.registry import load_registry
from engram.services.domains.spawn_queue import due_domains
from engram.workspace import Workspace


def workspace_fingerprint(workspace: Workspace, *, without: Path | None = None) -> str | None:
    """Return a digest of what a run would read; None when there is something to do for certain.

    That is when commands wait, or a backup is due.

    Equal digests mean: the same files with the same sizes and times in memory/, life/, ops/, the journal and the access
    log, the same settings, version and calendar day, the same domains whose silence is to be told of, and all
    projections there. `without` is a file that is passed over.
    """
    if workspace.spool.waiting() or is_backup_due(workspace):
        return None
    paths = workspace.paths
    digest = hashlib.sha256(f"{engram.__version__} {local_day(workspace.now(), workspace.settings.zone)}".encode())
    for folder in (paths.memory, paths.life, paths.ops, paths.journal, paths.accesses, paths.spool / "rejected"):
        for line in _signatures(folder, paths.root, os.fspath(without or "")):
            digest.update(line)
    for file in (paths.settings, paths.self_file, paths.domain_registry):
        digest.update(_signature(file, file.name))
    for projection in (paths.database, paths.index, paths.mirror_state):
        digest.update(f"{projection.name} {projection.exists()}\n".encode())
    digest.update(f"silent {_silent_domains(workspace)}\n".encode())
    digest.update(f"due {_due_domains(workspace)}\n".encode())
    return digest.hexdigest()


def is_backup_due(workspace: Workspace) -> bool:
    """Tell whether the settings want backups, and the newest is old enough for another."""
    settings = workspace.settings.backup
    if not settings.folder:
        return False
    folder = backup_folder_of(settings.folder)
    return is_due(load_backup_state(workspace.paths.backup_state), folder, settings.interval, workspace.now())


def _silent_domains(workspace: Workspace) -> list[str]:
    """Return the domains that time alone has made due; of a registry that does not read, the scan tells.

    They are part of the look and no reason to look again and again: a domain whose files cannot be read stays due.
    """
    if not workspace.paths.domain_registry.exists():
        return []
    try:
        domains = load_registry(workspace.files).domains.values()
    except EngramError:
        return []
    return sorted(one.name for one in domains if not one.archived and needs_alert(one, workspace.now()))


def _due_domains(workspace: Workspace) -> list[str]:
    """Return the domains whose subagent is to be run; while none can be, they are no reason to look again."""
    if not workspace.paths.domain_registry.exists():
        return []
    try:
        return [one.name for one in due_domains(load_registry(workspace.files), workspace.now())]
    except EngramError:
        return []


def _signatures(folder: Path, root: Path, without: str) -> Iterator[bytes]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        within = os.path.relpath(place, root)
        for name in sorted(files):
            file = os.path.join(place, name)  # noqa: PTH118 - thousands of them
            if file != without:
                yield _signature(file, f"{within}/{name}")


def _signature(file: str | Path, shown: str) -> bytes:
    try:
        found = os.stat(file)  # noqa: PTH116 - as above
    except OSError:  # a link that leads nowhere, or just removed
        return os.fsencode(f"{shown} -\n")
    return os.fsencode(f"{shown} {found.st_size} {found.st_mtime_ns} {found.st_ino}\n")
