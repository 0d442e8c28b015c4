"""Units of the user's systemd."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.errors import EngramError
from engram.heartbeat.schedule.cron_text import SYSTEMD
from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import as_shell
from engram.heartbeat.schedule.cron_text import unit_files
from engram.heartbeat.schedule.programs import run

_MODE = 0o644  # of what the program reads; it is no part of a memory


class Systemd:
    """Units of the user's systemd."""

    def __init__(self, call: Call) -> None:
        """Take the command that is called."""
        self._call = call
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        self._folder = Path(home, "systemd", "user")
        self._timer = f"{call.mark}.timer"

    def plan(self, every_s: int) -> dict[str, Any]:
        """Return what would be added and which commands run; changes nothing."""
        files = {str(self._folder / name): text for name, text in unit_files(self._call, every_s).items()}
        return {"with": SYSTEMD, "every_s": every_s, "adds": files, "runs": as_shell(self._enabling())}

    def installed(self) -> list[str]:
        """Return what is installed for the workspace: lines or files; empty when nothing is."""
        return [str(file) for file in self._files() if file.exists()]

    def put(self, every_s: int) -> None:
        """Install it, in the place of what was; raise EngramError, with nothing changed, when the program fails."""
        self._folder.mkdir(parents=True, exist_ok=True)
        former = {file: read_own(file) if file.exists() else None for file in self._files()}
        for name, text in unit_files(self._call, every_s).items():
            write_atomically(self._folder / name, text.encode(), mode=_MODE)
        try:
            for command in self._enabling():
                run(command)
        except EngramError:
            self._put_back(former)
            raise

    def remove(self) -> None:
        """Take out what was installed; raise EngramError when the program fails."""
        run(["systemctl", "--user", "disable", "--now", self._timer])
        for file in self._files():
            file.unlink(missing_ok=True)
        run(["systemctl", "--user", "daemon-reload"])

    def _put_back(self, former: dict[Path, bytes | None]) -> None:
        for file, text in former.items():
            if text is None:  # a file that stays would count as installed, and was never enabled
                file.unlink(missing_ok=True)
            else:
                write_atomically(file, text, mode=_MODE)
        with suppress(EngramError):  # what is told is the first failure
            for command in self._enabling() if all(former.values()) else []:
                run(command)

    def _files(self) -> list[Path]:
        return [self._folder / name for name in unit_files(self._call, 1)]

    def _enabling(self) -> list[list[str]]:
        user = ["systemctl", "--user"]
        # Restarted, so that another interval holds at once.
        return [[*user, "daemon-reload"], [*user, "enable", self._timer], [*user, "restart", self._timer]]
