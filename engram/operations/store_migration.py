"""Moving a workspace's journal: from its folder to a PostgreSQL server, and back.

Invariant: until the settings name the new place, the old one holds everything; a move that is cut short is gone on with
by the same command. Both places give the same digest before the settings change.
"""

from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.disk.faults import fault_point
from engram.config.sections.journal import JournalSettings
from engram.config.settings_file import change_setting
from engram.config.settings_file import is_read_only
from engram.errors import BadValueError
from engram.errors import DamagedJournalError
from engram.errors import RefusedError
from engram.ports.journal import Journal
from engram.ports.journal import SharedJournal
from engram.services.backup.history import find_hash
from engram.services.backup.history import head_text
from engram.store.journal.replica_journal import ReplicaState
from engram.store.journal.replica_journal import digest_of
from engram.store.journal.replica_journal import in_batches
from engram.store.journal.replica_journal import load_replica
from engram.store.journal.replica_journal import save_replica
from engram.store.journal_place import open_shared_journal
from engram.store.journal_place import require_shareable
from engram.workspace import Workspace

FILES: Final = "files"  # the other place than an address
_COPIED: Final = "copying the journal"  # told to whoever looks on


class MigrationReport(NamedTuple):
    """What was moved."""

    to: str  # an address, or "files"
    workspace: str  # name on the server
    position: int
    head: str
    digest: str  # over all lines, the same in both places; empty: the server was not asked
    copied: int  # records that were not there yet

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed."""
        told = self._asdict()
        return {**told, "head": head_text(self.position, told.pop("head"))}


def migrate_to_server(workspace: Workspace, url: str, name: str, *, dry_run: bool = False) -> MigrationReport:
    """Copy the journal to a server and let the workspace follow it there; a dry run does not ask the server.

    Raises RefusedError when another memory has that name on the server, and what the server raises.
    """
    target = _target(workspace, url, name)
    _require_settings(workspace)
    require_shareable(workspace.paths)
    if workspace.settings.journal.url:
        raise RefusedError(
            f"the journal lies on a server already, as {workspace.settings.journal.workspace!r}",
            hint="engram migrate-store --to files first",
        )
    if dry_run:
        return MigrationReport(url, target.workspace, *workspace.journal.head(), "", 0)
    shared, wait = open_shared_journal(target), workspace.settings.store.wait_s
    with shared.hold(wait), workspace.writing("migrate-store"):
        copied = _copy(workspace, shared, target.workspace)
        digest = _equal_digest(workspace.journal, shared)
        fault_point("before-migration")
        workspace.paths.replica.unlink(missing_ok=True)  # of a former move to files
        change_setting(workspace.paths, "journal.workspace", target.workspace, dry_run=False)
        change_setting(workspace.paths, "journal.url", url, dry_run=False)
        state = ReplicaState(workspace=target.workspace, generation=shared.standing().generation)
        save_replica(workspace.paths.replica, state)  # so that no process of before goes on with the files alone
        fault_point("after-migration")
        return MigrationReport(url, target.workspace, *workspace.journal.head(), digest, copied)


def migrate_to_files(workspace: Workspace, *, server_is_gone: bool = False, dry_run: bool = False) -> MigrationReport:
    """Let the workspace go on with its own files, and close the journal on the server.

    With `server_is_gone` nobody asks the server: what other machines wrote since the last look is not here then. A dry
    run does not ask it, either.
    """
    _require_settings(workspace)
    replica, name = workspace.store.shared.replica, workspace.settings.journal.workspace
    if replica is None:
        raise RefusedError("the journal lies in files already", hint="engram migrate-store --to URL moves it")
    digest, state = "", load_replica(workspace.paths.replica)
    if not dry_run and not server_is_gone and (state is None or state.is_attached):
        with workspace.writing("migrate-store"):
            digest = _equal_digest(workspace.journal, replica.shared)
            replica.shared.set_open(is_open=False)
            fault_point("before-migration")
            _switch_to_files(workspace)
    elif not dry_run:  # or this was cut off before its last step
        workspace.store.shared.apply_local()
        with workspace.locks.named("store", "migrate-store").hold(wait_s=workspace.settings.store.wait_s):
            _switch_to_files(workspace)
    return MigrationReport(FILES, name, *workspace.journal.head(), digest, 0)


def _switch_to_files(workspace: Workspace) -> None:
    state = load_replica(workspace.paths.replica)
    if state is not None:
        save_replica(workspace.paths.replica, state.model_copy(update={"is_attached": False}))
    change_setting(workspace.paths, "journal.url", "", dry_run=False)
    fault_point("after-migration")


def _copy(workspace: Workspace, shared: SharedJournal, name: str) -> int:
    """Append what the server does not have, and return how many records that is."""
    standing, position = shared.standing(), workspace.journal.head()[0]
    if find_hash(workspace.journal, standing.position) != standing.head:
        raise RefusedError(
            f"the server has another memory under the name {name!r}, of {standing.position} records",
            hint="choose another name with --name; to join that memory, begin with an empty workspace",
        )
    if not standing.is_open:
        shared.set_open(is_open=True)
    for done, batch in enumerate(in_batches(workspace.journal.read(after=standing.position))):
        workspace.progress(_COPIED, batch[-1][0].position, position)
        shared.append_lines(batch)
        if done == 0:
            fault_point("within-migration")
    return position - standing.position


def _equal_digest(own: Journal, shared: SharedJournal) -> str:
    here, there = digest_of(own.read()), digest_of(shared.read())
    if here != there:
        raise DamagedJournalError("the two journals differ; nothing was switched", hint="engram doctor")
    return here


def _target(workspace: Workspace, url: str, name: str) -> JournalSettings:
    wanted = {**workspace.settings.journal.model_dump(), "url": url}
    wanted["workspace"] = name or wanted["workspace"]
    if not wanted["workspace"]:
        raise BadValueError("the memory needs a name on the server", hint="engram migrate-store --to URL --name NAME")
    try:
        return JournalSettings.model_validate(wanted)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = "name" if "workspace" in first["loc"] else "address"
        said = f"the {where} {first['msg'].removeprefix('Value error, ')}"
        raise BadValueError(said, hint="engram migrate-store --help") from None


def _require_settings(workspace: Workspace) -> None:
    path: Path = workspace.paths.settings
    if is_read_only(workspace.paths):
        raise RefusedError(f"{path.name} may not be written, and it says where the journal lies", path=str(path))
