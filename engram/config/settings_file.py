"""engram.toml as people edit it: one setting read or changed, comments and order kept."""

import difflib
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

from engram.base.files import write_durably
from engram.config.paths import Paths
from engram.config.settings import load_settings
from engram.config.settings import parse_settings
from engram.errors import SettingsError

_NEAR = 0.7  # likeness of a name, 0 to 1, from which it is offered for one that is none


def list_settings(paths: Paths) -> dict[str, Any]:
    """Return every setting by its dotted name, with its value in force."""
    return _flat(load_settings(paths.settings).model_dump(mode="json"))


def read_setting(paths: Paths, key: str) -> Any:
    """Return one setting; raise SettingsError for an unknown name."""
    settings = list_settings(paths)
    if key not in settings:
        near = difflib.get_close_matches(key.casefold(), settings, 1, _NEAR)
        listed = "engram config lists every setting with its value"
        hint = f"did you mean {near[0]}? ({listed})" if near else listed
        raise SettingsError(f"{key!r} is not a setting", hint=hint, key=key)
    return settings[key]


def written_setting(paths: Paths, key: str) -> Any:
    """Return what engram.toml itself says of a setting that stands in no section, None when it says nothing."""
    return parse_toml(paths.settings.read_text(encoding="utf-8"), str(paths.settings)).get(key)


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
    settings = parse_settings(parse_toml(text, str(paths.settings)), str(paths.settings))
    if not dry_run:
        write_durably(paths.settings, text.encode(), mode=0o644)
    return _flat(settings.model_dump(mode="json"))[key]


def is_read_only(paths: Paths) -> bool:
    """Tell whether engram.toml is not ours to change: its owner may not write it, or it is a link to another place."""
    found = os.lstat(paths.settings)
    return stat.S_ISLNK(found.st_mode) or not found.st_mode & stat.S_IWUSR or not os.access(paths.root, os.W_OK)


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table that a text is; raise SettingsError that names the place."""
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
