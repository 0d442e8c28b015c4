"""Who is in a fleet: adding workspaces by name or by folder, and how they stand."""

import datetime as dt
import os
import re
from collections.abc import Callable
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.clock import to_iso
from engram.base.disk.home import at_home
from engram.base.text import slugify
from engram.config.sections.journal import JournalSettings
from engram.errors import BadValueError
from engram.errors import NoWorkspaceError
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.errors import UsageError
from engram.model.fleet import Member
from engram.operations.store_migration import migrate_to_server
from engram.store.fleet_place import open_registry
from engram.workspace import open_workspace

if TYPE_CHECKING:
    from engram.store.postgres.fleet_registry import FleetRegistry

URL_VARIABLE: Final = "ENGRAM_FLEET_URL"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


class Added(NamedTuple):
    """What became of one name or folder."""

    workspace: str
    folder: str | None
    host: str | None
    status: str  # added, known; of a dry run: would add


def fleet_url(given: str | None, find_settings: Callable[[], JournalSettings]) -> str:
    """Return the address of the fleet's database: the one given, else that of ENGRAM_FLEET_URL, else of a workspace.

    Raises UsageError when there is none, BadValueError for one that cannot be.
    """
    url = given or os.environ.get(URL_VARIABLE) or ""
    if not url:
        try:
            url = find_settings().url
        except (NoWorkspaceError, SettingsError):
            url = ""
    if not url:
        raise UsageError(
            "a fleet needs the address of its database",
            hint=f"--url postgresql://engram@db/engram, or set {URL_VARIABLE}",
        )
    _require(url, "fleet")
    return url


def add_members(
    url: str, wanted: Sequence[str], *, every_s: int, host: str, is_hosted: bool, dry_run: bool
) -> list[Added]:
    """Register each name or folder and return what became of it; a folder's journal moves to the server if need be.

    `is_hosted`: names, too, belong to the host; else to the first worker that takes them. Raises BadValueError for a
    name that cannot be one, NoWorkspaceError for a folder that is no workspace, RefusedError for one whose journal
    lies on another server, before anything is registered.
    """
    planned = [_planned(url, word, host if is_hosted else None, host) for word in wanted]
    if dry_run:
        return planned
    registry = open_registry(url)
    try:
        return [_add(registry, url, one, every_s) for one in planned]
    finally:
        registry.close()


def list_fleet(url: str) -> list[Member]:
    """Return the members, by name."""
    registry = open_registry(url)
    try:
        return registry.list_members()
    finally:
        registry.close()


def member_json(member: Member) -> dict[str, Any]:
    """Return the JSON shape of a member; instants in UTC."""
    return {
        name: to_iso(value.astimezone(dt.UTC)) if isinstance(value, dt.datetime) else value
        for name, value in member._asdict().items()
    }


def is_folder(word: str) -> bool:
    """Tell whether a word names a folder rather than a workspace or a host."""
    return os.sep in word or word.startswith(("~", "."))


def _planned(url: str, word: str, host: str | None, here: str) -> Added:
    if not is_folder(word):
        if _NAME.fullmatch(word) is None:
            raise BadValueError(
                f"{word!r} is no name of a workspace",
                hint="small letters, digits, - and _, at most 40; a folder is written with a slash, such as ./anna",
            )
        return Added(word, None, host, "would add")
    workspace = open_workspace(str(at_home(word)))
    root, journal = workspace.paths.root, workspace.settings.journal
    if journal.url and journal.url != url:
        raise RefusedError(f"the journal of {root} lies on another server", hint="engram migrate-store --to files")
    name = journal.workspace or slugify(root.name)
    _require(url, name)
    return Added(name, str(root), here, "would add")


def _add(registry: "FleetRegistry", url: str, one: Added, every_s: int) -> Added:
    if one.folder is not None:
        workspace = open_workspace(one.folder)
        if not workspace.settings.journal.url:
            migrate_to_server(workspace, url, one.workspace)
    is_new = registry.add(one.workspace, host=one.host, folder=one.folder, every_s=every_s)
    return one._replace(status="added" if is_new else "known")


def _require(url: str, name: str) -> None:
    """Raise BadValueError for an address or a name that the settings of a workspace would refuse."""
    try:
        JournalSettings(url=url, workspace=name)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = "name" if "workspace" in first["loc"] else "address"
        said = f"the {where} {first['msg'].removeprefix('Value error, ')}"
        raise BadValueError(said, hint="engram fleet add --help") from None
