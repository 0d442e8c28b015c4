"""Making a workspace and changing its settings: what happens before there is one to open."""

import datetime as dt
import json
import os
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.files import write_durably
from engram.base.text import parse_entity_path
from engram.config.paths import SELF_FILE_TEXT
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.config.settings import parse_settings
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.model.command import Outcome
from engram.workspace import Workspace

_SETTINGS = """# Settings of this Engram workspace. Every one has a default; `engram config` lists them all.
"""


def make_workspace(
    root: Path, wanted: Mapping[str, str], *, now: Callable[[], dt.datetime], force: bool, dry_run: bool
) -> dict[str, Any]:
    """Make what is missing of a workspace and return {"workspace", "made", "settings", "next"}.

    `wanted` may hold agent, timezone and owner. Raises BadValueError for a value that cannot be, RefusedError when
    engram.toml says something else and `force` is not given.
    """
    if root.exists() and not root.is_dir():
        raise BadValueError(f"{root} is a file", hint="name a folder")
    paths = Paths(root)
    text, changed = _settings_text(paths, wanted, force=force)
    made = [f"{paths.relative(folder)}/" for folder in paths.folders() if not folder.is_dir()]
    made += [paths.relative(file) for file in (paths.settings, paths.self_file) if not file.exists()]
    made += [f"{paths.settings.name}: {name}" for name in changed if paths.settings.exists()]
    settings = parse_settings(_parse(text, str(paths.settings)), str(paths.settings))
    if not dry_run:
        _make(paths, text, write_settings=bool(changed) or not paths.settings.exists())
        _make_owner(Workspace(paths, settings, now), made)
    hint = f'next: engram write --entity {settings.owner or "people/you"} --create --fact "..."'
    return {"workspace": str(root), "made": made, "settings": settings.model_dump(mode="json"), "next": [hint]}


def list_settings(paths: Paths) -> dict[str, Any]:
    """Return every setting by its dotted name, with its value in force."""
    return _flat(load_settings(paths.settings).model_dump(mode="json"))


def read_setting(paths: Paths, key: str) -> Any:
    """Return one setting; raise SettingsError for an unknown name."""
    settings = list_settings(paths)
    if key not in settings:
        raise SettingsError(f"{key!r} is not a setting", key=key)
    return settings[key]


def change_setting(paths: Paths, key: str, value: str, *, dry_run: bool) -> Any:
    """Set one setting, keeping comments and order of the file, and return its new value; raise SettingsError."""
    import tomlkit  # noqa: PLC0415 - only for those who set something

    known = read_setting(paths, key)
    document = tomlkit.parse(paths.settings.read_text(encoding="utf-8"))
    *sections, name = key.split(".")
    table: Any = document
    for section in sections:
        table = table.setdefault(section, tomlkit.table())
    table[name] = _typed(value, known)
    text = tomlkit.dumps(document)
    settings = parse_settings(_parse(text, str(paths.settings)), str(paths.settings))
    if not dry_run:
        write_durably(paths.settings, text.encode(), mode=0o644)
    return _flat(settings.model_dump(mode="json"))[key]


def _settings_text(paths: Paths, wanted: Mapping[str, str], *, force: bool) -> tuple[str, list[str]]:
    """Return the text of engram.toml with what is wanted in it, and the names that change."""
    import tomlkit  # noqa: PLC0415 - only for those who set something

    exists = paths.settings.exists()
    text = paths.settings.read_text(encoding="utf-8") if exists else _SETTINGS
    _parse(text, str(paths.settings))
    document = tomlkit.parse(text)
    values = dict(wanted)
    if "owner" in values:
        values["owner"] = _owner(values["owner"])
    if not exists:
        values = {"timezone": _local_zone(), **values}
    changed = [name for name, value in values.items() if document.get(name, _default(name)) != value or not exists]
    for name in changed:
        if exists and name in document and not force:
            raise RefusedError(
                f"engram.toml says {name} = {document[name]!r} already",
                hint=f"engram init --force, or engram config {name} {values[name]}",
            )
        document[name] = values[name]
    return tomlkit.dumps(document), changed


def _owner(text: str) -> str:
    parsed = parse_entity_path(text)
    if parsed is None or parsed[0] != "people":
        raise BadValueError(f"--owner {text!r} is not a person's path", hint="such as people/anna")
    return "/".join(parsed)


def _default(name: str) -> Any:
    return Settings.model_fields[name].default


def _local_zone() -> str:
    import tzlocal  # noqa: PLC0415 - only when a workspace is made

    return str(tzlocal.get_localzone_name() or "UTC")


def _make(paths: Paths, text: str, *, write_settings: bool) -> None:
    paths.root.mkdir(parents=True, exist_ok=True)
    for folder in paths.folders():
        folder.mkdir(exist_ok=True, parents=True)
    for folder in paths.private_folders():
        os.chmod(folder, 0o700)  # noqa: PTH101 - mode of a folder that may be there already
    if not paths.self_file.exists():
        write_durably(paths.self_file, SELF_FILE_TEXT.encode(), mode=0o644)
    if write_settings:
        write_durably(paths.settings, text.encode(), mode=0o644)


def _make_owner(workspace: Workspace, made: list[str]) -> None:
    owner = workspace.settings.owner
    if not owner:
        return
    result = workspace.submit("entity-add", {"path": owner}, command_id=f"owner-{owner.replace('/', '-')}")
    if result.status == Outcome.DONE and f"entity {owner}" not in made:
        made.append(f"entity {owner}")


def _parse(text: str, where: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - beside its one use

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{where} is not valid TOML: {problem}", hint=f"mend {where} by hand") from problem


def _typed(value: str, known: Any) -> Any:
    """Read a value as the kind of thing that stands there now: text stays text, the rest is read as JSON."""
    if isinstance(known, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value  # of the wrong kind: checking the settings names the key and what it needs


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
