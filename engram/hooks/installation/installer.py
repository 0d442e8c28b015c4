"""Installs our hooks into a host's own configuration, and takes out exactly what was put in.

Every change is a whole new text of a file, planned first and then written by rename, with the old text kept beside it.
What is going to be written is noted in the workspace first, by its hash: a file that nobody changed since gets its old
bytes back, and whatever a kill leaves behind is known.
"""

import difflib
import json
import os
import shlex
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.files import write_atomically
from engram.base.disk.given_files import read_given
from engram.base.disk.own_files import read_own
from engram.base.machine.own_command import own_command
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import RefusedError
from engram.hooks.host import Host
from engram.hooks.host import Places
from engram.hooks.installation.agent_texts import block_text
from engram.hooks.installation.agent_texts import skill_text
from engram.hooks.installation.entries import with_block
from engram.hooks.installation.entries import with_entries
from engram.hooks.installation.entries import without_block
from engram.hooks.installation.entries import without_entries

BACKUP = ".before-engram"  # ends the name of the file that keeps the old text
_NEW_MODE = 0o600  # of a configuration that is made anew; one that is there keeps its own


class Target(NamedTuple):
    """Whose configuration, and where."""

    host: Host
    level: str  # project or user
    project: Path
    home: Path
    environment: Mapping[str, str]

    def places(self) -> Places:
        """Return where its files lie."""
        return self.host.places(self.level, self.project, self.home, self.environment)


class Edit(NamedTuple):
    """One file that changes."""

    path: Path
    before: bytes | None  # None: there is no such file
    after: bytes | None  # None: the file goes
    exact: bool = True  # nothing of ours stood in it, so that its old bytes are what it goes back to

    @property
    def is_change(self) -> bool:
        """Tell whether the file will be another; else only what was noted of it is put in order."""
        return self.before != self.after


def plan_install(paths: Paths, target: Target, *, instructions: bool) -> list[Edit]:
    """Return what installing would change; nothing when it is all there. Raises RefusedError for what cannot be."""
    host, places = target.host, target.places()
    commands = {event: shell_command(paths, host, event) for event in host.events}
    if host.files is not None:
        edits = [_whole(places.config / name, text) for name, text in host.files(commands).items()]
    else:
        edits = [
            _edit(
                places.config,
                lambda text: with_entries(text, host, commands),
                lambda text: without_entries(text, host) if text.strip() else text,
            )
        ]
    if places.skill is not None:
        edits.append(_whole(places.skill, skill_text(paths.root)))
    if instructions and places.instructions is not None:
        edits.append(_edit(places.instructions, lambda text: with_block(text, block_text(paths.root)), without_block))
    elif instructions:
        raise RefusedError(
            f"{host.title} has no file of instructions at the level {target.level}", hint="leave --instructions out"
        )
    return [edit for edit in edits if edit.before != edit.after]


def plan_uninstall(paths: Paths, target: Target) -> list[Edit]:
    """Return what uninstalling does: changes, and files that were noted but never written, as a kill leaves them.

    Raises RefusedError for a configuration that cannot be read.
    """
    host, places = target.host, target.places()
    record = _read_record(paths)
    if host.files is not None:
        known = host.files({event: shell_command(paths, host, event) for event in host.events})
        edits = [_gone(places.config / name, record, text) for name, text in known.items()]
    else:
        edits = [_restored(places.config, record, lambda text: without_entries(text, host))]
    if places.skill is not None:
        edits.append(_gone(places.skill, record, skill_text(paths.root)))
    if places.instructions is not None:
        edits.append(_restored(places.instructions, record, without_block))
    # what was made last goes first
    return [edit for edit in reversed(edits) if edit.is_change or str(edit.path) in record]


def apply_edits(paths: Paths, edits: Sequence[Edit], *, installs: bool) -> list[Path]:
    """Write the planned texts and return the backups; a file that changed since the plan is refused, untouched."""
    record = _read_record(paths)
    backups = []
    for edit in edits:
        if _read(edit.path) != edit.before:
            raise RefusedError(f"{edit.path} changed meanwhile; nothing was done to it", hint="try again")
        backup = edit.path.with_name(edit.path.name + BACKUP)
        key = str(edit.path)
        if not installs or edit.after is None:
            _take_back(edit, record.pop(key, {}), backup)
            _write_record(paths, record)
            continue
        former = record.get(key, {})
        missing = _missing_folders(edit.path.parent)
        keeps = not _is_noted(former, edit.before)  # what is there now is not ours
        if keeps:
            former = {"had": edit.before is not None, "folders": [str(one) for one in missing], "exact": edit.exact}
        record[key] = {**former, "was": former.get("after"), "after": sha256_hex(edit.after)}
        _write_record(paths, record)
        for folder in missing:
            folder.mkdir()
        if keeps and edit.before is not None:
            write_atomically(backup, edit.before, mode=_mode(edit.path))
            backups.append(backup)
        _write(edit.path, edit.after)
    return backups


def describe(edits: Sequence[Edit]) -> str:
    """Return the changes as a unified diff; of a file that goes, as all in it is ours, only that it does."""
    shown: list[str] = []
    for edit in edits:
        before, after = (_lines(data) for data in (edit.before, edit.after))
        old, new = (str(edit.path) if data is not None else "/dev/null" for data in (edit.before, edit.after))
        if edit.after is None:
            shown += [f"--- {old}", f"+++ {new}", f"-({len(before)} lines, which `hooks install` wrote)"]
            continue
        shown += difflib.unified_diff(before, after, old, new, lineterm="")
    return "\n".join(shown)


def shell_command(paths: Paths, host: Host, event: str) -> str:
    """Return the command for one event as a shell reads it, with absolute paths only."""
    return shlex.join(own_command(paths.root, "hooks", "run", event, "--host", host.name))


def _edit(path: Path, change: Callable[[str], str], without_ours: Callable[[str], str]) -> Edit:
    before = _read(path)
    try:
        text = (before or b"").decode("utf-8")
        return Edit(path, before, change(text).encode(), exact=without_ours(text) == text)
    except (ValueError, RecursionError) as problem:
        raise RefusedError(
            f"{path} cannot be read as it should be: {problem}", hint="mend it by hand first"
        ) from problem


def _whole(path: Path, text: str) -> Edit:
    return Edit(path, _read(path), text.encode())


def _gone(path: Path, record: Mapping[str, Any], text: str) -> Edit:
    """Return the removal of a file that is all ours, such as this text; one that a person changed since stays."""
    before = _read(path)
    if before is not None and _is_noted(record.get(str(path), {}), before):
        return Edit(path, before, _old(path, record))
    return Edit(path, before, None if before == text.encode() else before)


def _restored(path: Path, record: Mapping[str, Any], change: Callable[[str], str]) -> Edit:
    """Return a file without what is ours: its old bytes when nobody changed it since."""
    before = _read(path)
    if before is None:
        return Edit(path, None, None)
    former = record.get(str(path), {})
    if former.get("exact") and _is_noted(former, before):
        return Edit(path, before, _old(path, record))
    return _edit(path, change, change)


def _is_noted(former: Mapping[str, Any], data: bytes | None) -> bool:
    """Tell whether a file holds what was written, or what was to be replaced by that when a kill came between."""
    return bool(former) and sha256_hex(data or b"") in {former["after"], former.get("was")}


def _old(path: Path, record: Mapping[str, Any]) -> bytes | None:
    if not record.get(str(path), {}).get("had"):
        return None
    backup = path.with_name(path.name + BACKUP)
    data = _read(backup)
    if data is None:
        raise RefusedError(f"{backup} is gone, which held {path} as it was", hint="take the entries out by hand")
    return data


def _take_back(edit: Edit, former: Mapping[str, Any], backup: Path) -> None:
    if edit.after is None:
        edit.path.unlink(missing_ok=True)
        for folder in reversed(former.get("folders", [])):
            try:
                Path(folder).rmdir()
            except OSError:  # somebody else has something there
                break
    else:
        _write(edit.path, edit.after)
    backup.unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    try:
        return read_given(path)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise RefusedError(f"{path} cannot be read: {problem.strerror}", hint="check its permissions") from problem


def _write(path: Path, data: bytes) -> None:
    """Write by rename; a link stays one, and what it leads to is written."""
    real = Path(os.path.realpath(path))
    write_atomically(real, data, mode=_mode(real))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644 if path.suffix == ".md" else _NEW_MODE


def _missing_folders(folder: Path) -> list[Path]:
    """Return the folders that have to be made, in order."""
    missing: list[Path] = []
    while not folder.exists():
        missing.insert(0, folder)
        folder = folder.parent
    return missing


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()


def _record_file(paths: Paths) -> Path:
    return paths.hooks / "installed.json"


def _read_record(paths: Paths) -> dict[str, Any]:
    try:
        found = json.loads(read_own(_record_file(paths)))
        return found if isinstance(found, dict) else {}
    except (FileNotFoundError, ValueError):
        return {}


def _write_record(paths: Paths, record: Mapping[str, Any]) -> None:
    paths.hooks.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(_record_file(paths), json.dumps(record, indent=1).encode(), mode=0o600)
