"""Writes by others into folders that a domain or an agent answers for; nothing is changed, and nobody is stopped.

Commits below a folder are told by its repository, with author and time. Of files in memory/ it is told which changed
since the last look, and whose notes they are: the agent of the session in whose silo the words stand. Whoever wrote a
file past Engram and past git is not known, and said not to be.
"""

import datetime as dt
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.machine.git_log import Commit
from engram.base.machine.git_log import commits_below
from engram.language.screen.secrets import redact
from engram.model.domain import Domain
from engram.model.domain import DomainRegistry
from engram.model.domain import Ownership
from engram.operations.domains.folder_look import file_marks
from engram.operations.domains.folder_look import look_at
from engram.rules.notes.rollup import KINDS
from engram.rules.notes.rotation import ARCHIVES
from engram.services.domains.ownership import SeenFolder
from engram.services.domains.ownership import SeenFolders
from engram.services.domains.ownership import is_outside
from engram.services.domains.ownership import load_seen
from engram.services.domains.ownership import owner_of
from engram.services.domains.ownership import save_seen
from engram.services.domains.registry import load_registry
from engram.services.visibility import HEARTBEAT_SESSION
from engram.services.visibility import caller_of
from engram.workspace import Workspace

MOST_NAME_CHARS: Final = 80  # of an author
_OWN_FOLDERS: Final = frozenset({HEARTBEAT_SESSION, ARCHIVES, *KINDS})


class OwnedFolder(NamedTuple):
    """A folder, who answers for it, and what others wrote there."""

    path: str
    ownership: Ownership
    since: dt.datetime  # of the last look, or of the beginning
    writes: list[dict[str, Any]]  # {"how", "by", "at", "what"}, commits first
    problem: str  # why its history cannot be told, or ""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "path": self.path,
            "owner": self.ownership.owner,
            "authors": list(self.ownership.authors),
            "since": to_iso(self.since),
            "writes": self.writes,
            "problem": self.problem or None,
        }


def owned_folders(workspace: Workspace, since: dt.datetime | None = None) -> list[OwnedFolder]:
    """Return every owned folder with the writes by others since the last look; of commits, since another instant."""
    registry = load_registry(workspace.files)
    seen = load_seen(workspace.files)
    return [_folder(workspace, registry, path, seen.folders.get(path), since) for path in sorted(registry.owners)]


def look_at_owned(workspace: Workspace) -> dict[str, SeenFolder]:
    """Return by folder how the owned ones stand now."""
    owners, now = load_registry(workspace.files).owners, workspace.now()
    return {path: look_at(workspace.paths, path, now) for path in owners}


def note_look(workspace: Workspace, looked: Mapping[str, SeenFolder]) -> None:
    """Take for seen what stood in the owned folders when they were looked at; the caller holds the lock of domains."""
    known = {**load_seen(workspace.files).folders, **looked}
    owners = load_registry(workspace.files).owners
    save_seen(workspace.files, SeenFolders(folders={path: one for path, one in known.items() if path in owners}))


def begin_look(workspace: Workspace, paths: Sequence[str], owners: Mapping[str, Ownership]) -> None:
    """Take what stands in these folders now for seen, but for those that `owners` name already and were looked at."""
    seen = load_seen(workspace.files).folders
    begun = [path for path in paths if path not in seen or path not in owners]
    new = {path: look_at(workspace.paths, path, workspace.now()) for path in begun}
    save_seen(workspace.files, SeenFolders(folders={**seen, **new}))


def _folder(
    workspace: Workspace, registry: DomainRegistry, path: str, seen: SeenFolder | None, since: dt.datetime | None
) -> OwnedFolder:
    ownership = registry.owners[path]
    begin = since or (seen.at if seen else ownership.since_at)
    place = workspace.paths.root / path  # an absolute path stays what it is
    found = commits_below(place, to_iso(begin), after="" if since or seen is None else seen.tip)
    commits = [] if isinstance(found, str) else [one for one in found if not _is_own(one, ownership)]
    writes = [_commit(one) for one in commits]
    problem = found if isinstance(found, str) else ""
    if not is_outside(path):
        problem = ""  # of files in memory/ there is something to tell without a repository
        writes += _changes(workspace, registry, path, seen)
    return OwnedFolder(path, ownership, begin, writes, problem)


def _is_own(commit: Commit, ownership: Ownership) -> bool:
    own = {one.casefold() for one in (ownership.domain, ownership.agent, *ownership.authors) if one}
    return bool({commit.author.casefold(), commit.mail.casefold()} & own)


def _commit(one: Commit) -> dict[str, Any]:
    return {"how": "commit", "by": redact(one.author[:MOST_NAME_CHARS]).text, "at": one.at, "what": one.id[:12]}


def _changes(
    workspace: Workspace, registry: DomainRegistry, folder: str, seen: SeenFolder | None
) -> Iterator[dict[str, Any]]:
    """Yield the files that are not as they were seen, unless they are the owner's; a nearer owner tells of its own."""
    if seen is None:
        return
    now = file_marks(workspace.paths, folder)
    ownership = registry.owners[folder]
    changed = [path for path in sorted({*now, *seen.files}) if now.get(path) != seen.files.get(path)]
    mine = [path for path in changed if owner_of(registry.owners, path) == ownership and not _is_engrams(path)]
    writers = _writers(workspace, mine)
    for path in mine:
        by = writers.get(path)
        if by == (ownership.agent or ownership.domain) or _is_by_command(registry, ownership, path, now.get(path)):
            continue
        yield {"how": "file" if path in now else "gone", "by": by, "at": None, "what": path}


def _is_engrams(path: str) -> bool:
    """Tell whether Engram itself writes a file: the heartbeat's reports, roll-ups, and what it moved into archives."""
    return not _OWN_FOLDERS.isdisjoint(path.split("/")[:-1])


def _writers(workspace: Workspace, paths: list[str]) -> dict[str, str]:
    """Return path -> agent in whose silo the notes of a file stand, of those files of which the notes were read."""
    if not paths:
        return {}
    own = workspace.settings.agent
    with workspace.reading() as database:
        entries = database.find_notes(paths)
    return {one.path: caller_of(own, one.session, None, {}).agent or own for one in entries if one.session}


def _is_by_command(registry: DomainRegistry, ownership: Ownership, path: str, mark: str | None) -> bool:
    """Tell whether a file of the domain stands as a command of Engram left it."""
    domain: Domain | None = registry.domains.get(ownership.domain or "")
    if domain is None or mark is None:
        return False
    names = {f"memory/domains/{domain.name}/{file.value}": base for file, base in domain.base.items()}
    return path in names and names[path].sha256.startswith(mark)
