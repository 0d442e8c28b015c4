"""Making a workspace: what happens before there is one to open."""

import datetime as dt
import os
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple
from zoneinfo import ZoneInfo

import tzlocal

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own_text
from engram.base.self_names import SELF_NAMES
from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.config.kept_settings import keep_settings
from engram.config.paths import SELF_FILE_TEXT
from engram.config.paths import Paths
from engram.config.paths import refuse_state_links
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.config.settings import parse_settings
from engram.config.settings_file import parse_toml
from engram.config.settings_file import settings_text
from engram.config.words import NOBODY
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.services.extract.subject.attribution import is_harmless_name
from engram.workspace import Workspace
from engram.workspace.owner import Owner
from engram.workspace.owner import choose_owner
from engram.workspace.owner import guess_owner
from engram.workspace.owner import has_owner
from engram.workspace.owner import name_owner
from engram.workspace.signed_history import forget_history

ZONE_VARIABLE = "ENGRAM_TZ"  # names the time zone of a workspace that is made
_SETTINGS = """# Settings of this Engram workspace. Every one has a default; `engram config` lists them all.
"""


class Made(NamedTuple):
    """What `make_workspace` did, or would do."""

    root: Path
    made: list[str]  # what was missing, as people read it
    settings: Settings
    owner: Owner
    is_new: bool  # there was no workspace before

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {
            "workspace": str(self.root),
            "made": self.made,
            "settings": self.settings.model_dump(mode="json"),
            "owner": self.owner._asdict(),
            "next": [self.next_step()],
        }

    def next_step(self) -> str:
        """Return what to type next."""
        about = "me" if self.owner.path else "people/NAME --create"
        return f'next: engram write --entity {about} --fact "..."'


def make_workspace(
    root: Path, wanted: Mapping[str, str], *, now: Callable[[], dt.datetime], force: bool, dry_run: bool
) -> Made:
    """Make what is missing of a workspace, an owner included, and return what it was.

    `wanted` may hold agent, timezone and owner, which may be `nobody`. Raises BadValueError for a value that cannot be,
    RefusedError when engram.toml says something else and `force` is not given, or when a link stands in the way.
    """
    if root.exists() and not root.is_dir():
        raise BadValueError(f"{root} is a file", hint="name a folder")
    paths = Paths(root)
    refuse_state_links(paths)
    is_new = not paths.settings.exists()
    owner = _chosen_owner(paths, wanted, now, is_new=is_new)
    text, changed = _settings_text(paths, {**wanted, "owner": owner.path or NOBODY}, force=force)
    made = [f"{paths.relative(folder)}/" for folder in paths.folders() if not folder.is_dir()]
    made += [paths.relative(file) for file in (paths.settings, paths.self_file) if not file.exists()]
    made += [f"{paths.settings.name}: {name}" for name in changed if not is_new]
    settings = parse_settings(parse_toml(text, str(paths.settings)), str(paths.settings))
    if not dry_run:
        if is_new and not paths.state.exists():
            forget_history(paths)  # of a workspace that stood here before and was removed
        _make(paths, text, write_settings=bool(changed) or is_new)
        if owner.path and name_owner(Workspace(paths, settings, now), owner) is not None:
            made.append(f"entity {owner.path}")
    return Made(root, made, settings, owner, is_new)


def _chosen_owner(paths: Paths, wanted: Mapping[str, str], now: Callable[[], dt.datetime], *, is_new: bool) -> Owner:
    """Return the owner that is wanted, else the one that engram.toml names, else who seems to work here."""
    if "owner" in wanted:
        return _owner(wanted["owner"])
    if is_new:
        return guess_owner(paths.root)
    workspace = Workspace(paths, load_settings(paths.settings), now)
    return Owner(workspace.settings.owner) if has_owner(workspace) else choose_owner(workspace)


def _settings_text(paths: Paths, wanted: Mapping[str, str], *, force: bool) -> tuple[str, list[str]]:
    """Return the text of engram.toml with what is wanted in it, and the names that change."""
    exists = paths.settings.exists()
    text = read_own_text(paths.settings) if exists else _SETTINGS
    parse_toml(text, str(paths.settings))
    kept = settings_text()
    document = kept.document_of(text)
    values = dict(wanted)
    if not exists:
        values = {"timezone": values.get("timezone") or _local_zone(), **values}
    changed = [name for name, value in values.items() if document.get(name, _default(name)) != value or not exists]
    for name in changed:
        if exists and document.get(name) not in {None, "", NOBODY} and not force:
            raise RefusedError(
                f"engram.toml says {name} = {document[name]!r} already",
                hint=f"engram init --force, or engram config {name} {values[name]}",
            )
        document[name] = values[name]
    return kept.text_of(document), changed


def _owner(text: str) -> Owner:
    """Return the owner that is asked for by path or by name: people/vera, "Vera Ivanova", nobody."""
    if text == NOBODY:
        return Owner("", found="as you say")
    name = " ".join(text.split())
    parsed = parse_entity_path(text if "/" in text else f"people/{slugify(name)}")
    is_pronoun = name.casefold() in {word.casefold() for word in SELF_NAMES}
    if parsed is None or parsed[0] != "people" or is_pronoun or not is_harmless_name(name):
        raise BadValueError(
            f"--owner {text!r} is no person's name or path", hint='such as "Anna Petrova", people/anna, or nobody'
        )
    return Owner("/".join(parsed), None if "/" in text or name.islower() else name, found="as you say")


def _default(name: str) -> Any:
    return Settings.model_fields[name].default


def _local_zone() -> str:
    """Return the zone of ENGRAM_TZ, else of TZ or the machine; raise BadValueError for one that is none."""
    if named := os.environ.get(ZONE_VARIABLE):
        try:
            return ZoneInfo(named).key
        except (ValueError, KeyError, OSError) as problem:  # a folder of zones is an OSError
            hint = "such as Europe/Berlin, or UTC"
            raise BadValueError(f"{ZONE_VARIABLE} {named!r} is no time zone", hint=hint) from problem
    return str(tzlocal.get_localzone_name() or "UTC")


def _make(paths: Paths, text: str, *, write_settings: bool) -> None:
    if not paths.root.is_dir():  # one that is there may be a link
        make_folder(paths.root)
    for folder in paths.folders():
        make_folder(folder, root=paths.root)
    for folder in paths.private_folders():
        os.chmod(folder, 0o700)  # noqa: PTH101 - mode of a folder that may be there already
    if not paths.self_file.exists():
        write_durably(paths.self_file, SELF_FILE_TEXT.encode())
    if write_settings:
        write_durably(paths.settings, text.encode())
    keep_settings(paths)
