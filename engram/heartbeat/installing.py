"""Installs what calls the heartbeat, through the programs of the system, and removes exactly what it installed.

What is installed is kept in `.engram/schedule.json`, so that `status` knows the interval. Commands are argument lists;
no shell is used here.
"""

import datetime as dt
import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

import engram
from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.base.files import write_atomically
from engram.base.log import warn
from engram.errors import EngramError
from engram.errors import RefusedError
from engram.services.scheduling import Call
from engram.services.scheduling import as_shell
from engram.services.scheduling import cron_line
from engram.services.scheduling import marked_lines
from engram.services.scheduling import unit_files
from engram.services.scheduling import with_line
from engram.services.scheduling import without_line
from engram.workspace import Workspace

CRON, SYSTEMD = "cron", "systemd"
_PROGRAMS = {CRON: "crontab", SYSTEMD: "systemctl"}
_TIMEOUT_S = 60.0  # of crontab or systemctl


class Schedule(NamedTuple):
    """What is installed."""

    every_s: int
    by: str  # cron or systemd
    installed_at: dt.datetime


def read_schedule(workspace: Workspace) -> Schedule | None:
    """Return what was installed for this workspace; None when nothing was, or its note does not read."""
    try:
        found = json.loads(workspace.paths.schedule.read_text(encoding="utf-8"))
        return Schedule(int(found["every_s"]), str(found["by"]), from_iso(found["installed_at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def heartbeat_call(root: Path) -> Call:
    """Return the command by which the heartbeat of a workspace is called from anywhere, with the PATH of this shell."""
    return Call(own_command(root, "heartbeat", "run"), root, _search_path())


def _search_path() -> tuple[str, ...]:
    """Return the folders of our PATH that are there and that a line of a crontab can name."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    named = (one for one in folders if one.isprintable() and "\\" not in one)
    return tuple(one for one in named if Path(one).is_absolute() and Path(one).is_dir())


def own_command(root: Path, *words: str) -> tuple[str, ...]:
    """Return the command by which this very Engram, in this Python, is called from anywhere."""
    command = [sys.executable, "-P", "-m", "engram", "--workspace", str(root), *words]
    home = Path(engram.__file__).resolve().parent.parent
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    if home not in [Path(place).resolve() for place in places]:  # run from a folder that others would not know of
        command = ["/usr/bin/env", f"PYTHONPATH={home}", *command]
    return tuple(command)


def find_caller_here() -> str | None:
    """Return which of cron and systemd would call the heartbeat on this system; None when it has neither."""
    return next((name for name, program in _PROGRAMS.items() if shutil.which(program)), None)


def install(workspace: Workspace, every_s: int, by: str | None, *, dry_run: bool) -> dict[str, Any]:
    """Install the schedule, in the place of an earlier one, and return what that is; with `dry_run` only return it.

    Raises RefusedError when the system has no such program, EngramError when the program fails.
    """
    chosen = by or find_caller_here() or CRON
    way = _way(chosen, workspace)
    report = way.plan(every_s)
    if dry_run:
        return {**report, "dry_run": True}
    _need(chosen, workspace)
    former = read_schedule(workspace)
    way.put(every_s)
    if former is not None and former.by != chosen:  # not before: else nothing calls the heartbeat when that fails
        _way(former.by, workspace).remove()
    kept = {"every_s": every_s, "by": chosen, "installed_at": to_iso(workspace.now())}
    write_atomically(workspace.paths.schedule, json.dumps(kept).encode(), mode=0o600)
    return report


def uninstall(workspace: Workspace, *, dry_run: bool) -> dict[str, Any]:
    """Remove what was installed, by either program that is there, and return what that was.

    A program that cannot be asked, such as a crontab that the user may not have, is a warning, unless by our note it
    is the one that calls the heartbeat.
    """
    former = read_schedule(workspace)
    found: list[tuple[_Cron | _Systemd, list[str]]] = []
    for by, program in _PROGRAMS.items():
        if shutil.which(program) is None:
            continue
        way = _way(by, workspace)
        try:
            found.append((way, way.installed()))
        except EngramError as problem:
            if former is None or former.by == by:
                raise
            warn(f"{by} was not asked what is installed: {problem.message}")
    if not dry_run:
        for way, entries in found:
            if entries:
                way.remove()
        workspace.paths.schedule.unlink(missing_ok=True)
    removed = [entry for _, entries in found for entry in entries]
    return {"removed": removed, **({"dry_run": True} if dry_run else {})}


class _Cron:
    """The user's crontab."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def plan(self, every_s: int) -> dict[str, Any]:
        return {"with": CRON, "every_s": every_s, "adds": {"crontab": cron_line(self._call, every_s)}, "runs": []}

    def installed(self) -> list[str]:
        return marked_lines(_crontab(), self._call.mark)

    def put(self, every_s: int) -> None:
        before = _crontab()
        self._replace(before, with_line(before, cron_line(self._call, every_s), self._call.mark))

    def remove(self) -> None:
        before = _crontab()
        self._replace(before, without_line(before, self._call.mark))

    def _replace(self, before: str, after: str) -> None:
        if after != before:
            _run(["crontab", "-"], stdin=after)


class _Systemd:
    """Units of the user's systemd."""

    def __init__(self, call: Call) -> None:
        self._call = call
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        self._folder = Path(home, "systemd", "user")
        self._timer = f"{call.mark}.timer"

    def plan(self, every_s: int) -> dict[str, Any]:
        files = {str(self._folder / name): text for name, text in unit_files(self._call, every_s).items()}
        return {"with": SYSTEMD, "every_s": every_s, "adds": files, "runs": as_shell(self._enabling())}

    def installed(self) -> list[str]:
        return [str(file) for file in self._files() if file.exists()]

    def put(self, every_s: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        made = [file for file in self._files() if not file.exists()]
        for name, text in unit_files(self._call, every_s).items():
            write_atomically(self._folder / name, text.encode())
        try:
            for command in self._enabling():
                _run(command)
        except EngramError:
            for file in made:  # else it would count as installed, and what was never enabled cannot be disabled
                file.unlink(missing_ok=True)
            raise

    def remove(self) -> None:
        _run(["systemctl", "--user", "disable", "--now", self._timer])
        for file in self._files():
            file.unlink(missing_ok=True)
        _run(["systemctl", "--user", "daemon-reload"])

    def _files(self) -> list[Path]:
        return [self._folder / name for name in unit_files(self._call, 1)]

    def _enabling(self) -> list[list[str]]:
        user = ["systemctl", "--user"]
        # Restarted, so that another interval holds at once.
        return [[*user, "daemon-reload"], [*user, "enable", self._timer], [*user, "restart", self._timer]]


def _way(by: str, workspace: Workspace) -> _Cron | _Systemd:
    call = heartbeat_call(workspace.paths.root)
    return _Cron(call) if by == CRON else _Systemd(call)


def _need(by: str, workspace: Workspace) -> None:
    """Raise RefusedError unless the program for it is there."""
    if shutil.which(_PROGRAMS[by]) is None:
        command = as_shell([heartbeat_call(workspace.paths.root).command])[0]
        raise RefusedError(
            f"this system has no program {_PROGRAMS[by]}",
            hint=f"let what there is (launchd on macOS) call every half an hour: {command}",
        )


def _crontab() -> str:
    """Return the user's crontab, empty when there is none."""
    done = _call(["crontab", "-l"])
    if done.returncode == 0:
        return _text(done.stdout)
    if b"no crontab" in done.stderr.lower():
        return ""
    raise _failure(["crontab", "-l"], done)


def _run(command: Sequence[str], *, stdin: str = "") -> None:
    done = _call(command, stdin=stdin)
    if done.returncode != 0:
        raise _failure(command, done)


def _call(command: Sequence[str], *, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C"}  # messages that can be recognised
    data = stdin.encode("utf-8", "surrogateescape")  # bytes of others' lines go back as they came
    try:
        return subprocess.run(
            list(command), input=data, capture_output=True, env=environment, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EngramError(f"{command[0]} could not be run: {problem}", hint=f"try {command[0]} by hand") from problem


def _failure(command: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> EngramError:
    said = " ".join(_text(done.stderr or done.stdout).split()) or f"exit code {done.returncode}"
    return EngramError(f"{' '.join(command)} failed: {said}", hint=f"try {' '.join(command)} by hand")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
