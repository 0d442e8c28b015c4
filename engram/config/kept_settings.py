"""The last good copy of engram.toml, by which one that was emptied or cut is known for it. Light.

Every setting has a default. So a file that lost its lines still reads, and the memory goes on as another agent's, in
another time zone, for nobody.
"""

from pathlib import Path
from typing import Any

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.toml_values import load_toml
from engram.config.paths import Paths
from engram.errors import SettingsError


def keep_settings(paths: Paths, *, is_meant: bool = False) -> None:
    """Copy engram.toml beside the state, unless it only lost what the copy has; what cannot be written is left.

    `is_meant`: a person set something just now, and knows what else stands there.
    """
    now, kept = _bytes_of(paths.settings), _bytes_of(paths.kept_settings)
    if now == kept or not _table(now) or (was_cut(paths) and not is_meant):
        return
    try:
        write_durably(paths.kept_settings, now)
    except OSError:
        return


def was_cut(paths: Paths) -> bool:
    """Tell whether engram.toml ends where its copy goes on with settings: nobody takes away only what comes last."""
    now, kept = _bytes_of(paths.settings), _bytes_of(paths.kept_settings)
    return len(now) < len(kept) and kept.startswith(now) and _table(now) != _table(kept)


def refuse_emptied(settings: Path) -> None:
    """Raise SettingsError for an engram.toml without any setting when its copy has some."""
    paths = Paths(settings.parent)
    if kept_table(paths):
        copy = paths.relative(paths.kept_settings)
        raise SettingsError(
            f"{settings} says nothing any more; it named settings before",
            hint=f"cp {copy} {settings.name} puts them back; without {copy}, the defaults count",
        )


def kept_table(paths: Paths) -> dict[str, Any]:
    """Return what the copy says; empty when there is none."""
    return _table(_bytes_of(paths.kept_settings))


def _bytes_of(path: Path) -> bytes:
    try:
        return read_own(path)
    except OSError:
        return b""


def _table(data: bytes) -> dict[str, Any]:
    try:
        return load_toml(data.decode())
    except ValueError:
        return {}
