"""An agent of the user's launchd, on macOS."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.machine.user import user_id
from engram.errors import EngramError
from engram.heartbeat.schedule.cron_text import LAUNCHD
from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import agent_file
from engram.heartbeat.schedule.cron_text import as_shell
from engram.heartbeat.schedule.programs import call_program
from engram.heartbeat.schedule.programs import run

_MODE = 0o644  # of what the program reads; it is no part of a memory


class Launchd:
    """An agent of the user's launchd."""

    def __init__(self, call: Call) -> None:
        """Take the command that is called."""
        self._call = call
        self._file = Path.home() / "Library" / "LaunchAgents" / f"{call.mark}.plist"
        self._domain = f"gui/{user_id()}"
        self._service = f"{self._domain}/{call.mark}"

    def plan(self, every_s: int) -> dict[str, Any]:
        """Return what would be added and which commands run; changes nothing."""
        _, text = agent_file(self._call, every_s)
        runs = as_shell([self._loading()])
        return {"with": LAUNCHD, "every_s": every_s, "adds": {str(self._file): text}, "runs": runs}

    def installed(self) -> list[str]:
        """Return what is installed for the workspace: lines or files; empty when nothing is."""
        return [str(self._file)] if self._file.exists() else []

    def put(self, every_s: int) -> None:
        """Install it, in the place of what was; raise EngramError, with nothing changed, when the program fails."""
        _, text = agent_file(self._call, every_s)
        former = read_own(self._file) if self._file.exists() else None
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file, text.encode(), mode=_MODE)
        try:
            self._unload()  # else the former interval would hold until the next login
            run(self._loading())
        except EngramError:
            self._put_back(former)
            raise

    def remove(self) -> None:
        """Take out what was installed; raise EngramError when the program fails."""
        self._unload()
        self._file.unlink(missing_ok=True)

    def _loading(self) -> list[str]:
        return ["launchctl", "bootstrap", self._domain, str(self._file)]

    def _put_back(self, former: bytes | None) -> None:
        if former is None:
            self._file.unlink(missing_ok=True)
            return
        write_atomically(self._file, former, mode=_MODE)
        with suppress(EngramError):  # what is told is the first failure
            if not self._is_loaded():
                run(self._loading())

    def _unload(self) -> None:
        if self._is_loaded():
            run(["launchctl", "bootout", self._service])

    def _is_loaded(self) -> bool:
        return call_program(["launchctl", "print", self._service]).returncode == 0
