"""engram.toml as people edit it: one setting read or changed, comments and order kept."""

import difflib
import json
import os
import shlex
import stat
import tomllib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own_text
from engram.base.toml_values import load_toml
from engram.config.kept_settings import keep_settings
from engram.config.paths import Paths
from engram.config.retired_keys import find_retired
from engram.config.sections.recall import SHARES
from engram.config.sections.recall import ContextShares
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.config.settings import parse_settings
from engram.errors import SettingsError

_PHASES = "heartbeat.phases."  # the same few settings for each phase
_NEAR = 0.7  # likeness of a name, 0 to 1, from which it is offered for one that is none


def list_settings(paths: Paths) -> dict[str, Any]:
    """Return every setting by its dotted name, with its value in force."""
    return _flat(load_settings(paths.settings).model_dump(mode="json"))


def summarise_settings(paths: Paths) -> dict[str, Any]:
    """Return the settings as people read them: a table is one of them, and of a phase only what differs is told."""
    usual = _flat(Settings().model_dump(mode="json"))
    shown: dict[str, Any] = {}
    for name, value in list_settings(paths).items():
        if name.startswith(_PHASES) and value == usual[name]:
            continue
        table, _, entry = name.rpartition(".")
        if table == SHARES:
            shown.setdefault(table, {})[entry] = value
        else:
            shown[name] = value
    return shown


def setting_names(paths: Paths) -> list[str]:
    """Return every name that can be asked for or set."""
    return [SHARES, *list_settings(paths)]


def read_setting(paths: Paths, key: str) -> Any:
    """Return one setting, a table with all its entries; raise SettingsError for an unknown name."""
    settings = list_settings(paths)
    if key == SHARES:
        return {part: settings[f"{SHARES}.{part}"] for part in ContextShares.model_fields}
    if key not in settings:
        raise _unknown(key, settings)
    return settings[key]


def written_setting(paths: Paths, key: str) -> Any:
    """Return what engram.toml itself says of a setting that stands in no section, None when it says nothing."""
    return parse_toml(read_own_text(paths.settings), str(paths.settings)).get(key)


def change_setting(paths: Paths, key: str, value: str, *, dry_run: bool) -> Any:
    """Set one setting, keeping comments and order of the file, and return its new value; raise SettingsError."""
    if (retired := find_retired(key)) is not None and retired.successor is not None:
        raise SettingsError(
            retired.explanation, hint=f"engram config {retired.successor} {shlex.quote(value)}", key=key
        )
    new = _typed(value, read_setting(paths, key))
    if key == SHARES and not isinstance(new, dict):
        entry = next(iter(ContextShares.model_fields))
        hint = f"engram config {SHARES}.{entry} TOKENS sets one"
        raise SettingsError(f"{key} has a value for each part, none for all", hint=hint, key=key)
    text = settings_text().with_value(read_own_text(paths.settings), key, new)
    settings = parse_settings(parse_toml(text, str(paths.settings)), str(paths.settings))
    if not dry_run:
        write_durably(paths.settings, text.encode())
        keep_settings(paths, is_meant=True)
    if key == SHARES:
        return settings.context.shares.model_dump()
    return _flat(settings.model_dump(mode="json"))[key]


def settings_text() -> ModuleType:
    """Return `config.settings_text`, for those who change the text of engram.toml."""
    from engram.config import settings_text as loaded  # noqa: PLC0415 - tomlkit: 3 ms, and most only read

    return loaded


def is_read_only(paths: Paths) -> bool:
    """Tell whether engram.toml is not ours to change: its owner may not write it, or it is a link to another place."""
    found = os.lstat(paths.settings)
    return stat.S_ISLNK(found.st_mode) or not found.st_mode & stat.S_IWUSR or not os.access(paths.root, os.W_OK)


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table that a text is; raise SettingsError that names the place."""
    try:
        return load_toml(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{where} is not valid TOML: {problem}", hint=f"mend {where} by hand") from problem


def _unknown(key: str, settings: Mapping[str, Any]) -> SettingsError:
    """Return what is wrong with a name that no setting has."""
    listed = "engram config lists every setting with its value"
    if (retired := find_retired(key)) is not None:
        hint = f"engram config {retired.successor}" if retired.successor else listed
        return SettingsError(retired.explanation, hint=hint, key=key)
    table, _, entry = key.rpartition(".")
    if table == SHARES:
        parts = ", ".join(ContextShares.model_fields)
        return SettingsError(f"{SHARES} has no part {entry!r}; its parts are {parts}", hint=listed, key=key)
    near = difflib.get_close_matches(key.casefold(), [SHARES, *settings], 1, _NEAR)
    hint = f"did you mean {near[0]}? ({listed})" if near else listed
    return SettingsError(f"{key!r} is not a setting", hint=hint, key=key)


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
