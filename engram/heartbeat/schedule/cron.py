"""The user's crontab."""

from typing import Any

from engram.heartbeat.schedule.cron_text import CRON
from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import cron_line
from engram.heartbeat.schedule.cron_text import marked_lines
from engram.heartbeat.schedule.cron_text import with_line
from engram.heartbeat.schedule.cron_text import without_line
from engram.heartbeat.schedule.programs import call_program
from engram.heartbeat.schedule.programs import failure
from engram.heartbeat.schedule.programs import run
from engram.heartbeat.schedule.programs import text_of


class Cron:
    """The user's crontab."""

    def __init__(self, call: Call) -> None:
        """Take the command that is called."""
        self._call = call

    def plan(self, every_s: int) -> dict[str, Any]:
        """Return what would be added and which commands run; changes nothing."""
        return {"with": CRON, "every_s": every_s, "adds": {"crontab": cron_line(self._call, every_s)}, "runs": []}

    def installed(self) -> list[str]:
        """Return what is installed for the workspace: lines or files; empty when nothing is."""
        return marked_lines(_crontab(), self._call.mark)

    def put(self, every_s: int) -> None:
        """Install it, in the place of what was; raise EngramError, with nothing changed, when the program fails."""
        before = _crontab()
        self._replace(before, with_line(before, cron_line(self._call, every_s), self._call.mark))

    def remove(self) -> None:
        """Take out what was installed; raise EngramError when the program fails."""
        before = _crontab()
        self._replace(before, without_line(before, self._call.mark))

    def _replace(self, before: str, after: str) -> None:
        if after != before:
            run(["crontab", "-"], stdin=after)


def _crontab() -> str:
    """Return the user's crontab, empty when there is none."""
    done = call_program(["crontab", "-l"])
    if done.returncode == 0:
        return text_of(done.stdout)
    if b"no crontab" in done.stderr.lower():
        return ""
    raise failure(["crontab", "-l"], done)
