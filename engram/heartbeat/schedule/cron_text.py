"""What calls the heartbeat, as text: a line of a crontab, a timer and a service of systemd, an agent of launchd.

Everything here is text in and text out; `installer` runs the programs. What belongs to a workspace is known
by a mark made of its path, so that several stand side by side and each removes exactly its own.
"""

import plistlib
import re
import shlex
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from engram.base.text import sha256_hex
from engram.errors import BadValueError

CRON, SYSTEMD, LAUNCHD = "cron", "systemd", "launchd"
CALLERS = (CRON, SYSTEMD, LAUNCHD)  # what can call the heartbeat
DEFAULT_EVERY_S = 1800
OVERDUE_AFTER = 3  # intervals without a tick
_UNITS_S = {"m": 60, "h": 3600, "d": 86_400}
_LEAST_S, _MOST_S = 60, 7 * 86_400
_CRON_MOST = 900  # characters of a command: some crons take no more than 1,000
_CRON_UNTOLD = re.compile(r"[\\\r\n]")  # what versions of cron disagree about, or what ends a line


class Call(NamedTuple):
    """The command that is called, and for which workspace."""

    command: tuple[str, ...]  # absolute path of the program, and its arguments
    root: Path  # of the workspace, absolute
    path: tuple[str, ...] = ()  # folders in which programs are looked for: those of the shell that installs it

    def words(self, most: int | None = None) -> list[str]:
        """Return the command with its PATH, which cron and systemd would not know; of it, what fits into `most`."""
        length = len(shlex.join(self.command)) + len("/usr/bin/env PATH='' ")
        kept: list[str] = []
        for folder in dict.fromkeys(self.path):
            length += len(shlex.quote(folder)) + 1
            if most is not None and length > most:
                break
            kept.append(folder)
        if not kept:
            return list(self.command)
        env = "/usr/bin/env"
        command = self.command[1:] if self.command[0] == env else self.command
        return [env, f"PATH={':'.join(kept)}", *command]

    @property
    def mark(self) -> str:
        """What tells this workspace's entries from all others."""
        return f"engram-heartbeat-{sha256_hex(str(self.root).encode('utf-8', 'surrogateescape'))[:12]}"


def parse_every(text: str) -> int:
    """Return the seconds of an interval such as 30m, 2h or 1d; raise BadValueError for any other text."""
    found = re.fullmatch(r"([1-9]\d{0,5})\s*([mhd])", text.strip().casefold())
    seconds = int(found[1]) * _UNITS_S[found[2]] if found else 0
    if not _LEAST_S <= seconds <= _MOST_S:
        raise BadValueError(f"--every {text!r} is not an interval from 1m to 7d", hint="such as --every 30m or 2h")
    return seconds


def format_interval(seconds: float) -> str:
    """Write an interval as `parse_every` reads it."""
    for unit, size in reversed(_UNITS_S.items()):
        if seconds % size == 0:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"


# --- cron --------------------------------------------------------------------------------------------------------


def cron_line(call: Call, every_s: int) -> str:
    """Return the line for the crontab, without its end. Raises BadValueError for what cron cannot say."""
    words = shlex.join(call.words(_CRON_MOST))
    if _CRON_UNTOLD.search(words):
        raise BadValueError(
            "the path of the workspace or of Python holds a backslash or a line break, which cron does not keep",
            hint="engram heartbeat install --with systemd, or move the workspace",
        )
    words = words.replace("%", r"\%")  # else cron ends the command there
    return f"{_cron_times(every_s)} {words} >/dev/null 2>&1 # {call.mark}"


def with_line(crontab: str, line: str, mark: str) -> str:
    """Return the crontab with the line: in the place of the one with this mark, else at its end."""
    lines = _lines(crontab)
    places = [place for place, one in enumerate(lines) if _is_marked(one, mark)] or [len(lines)]
    others = [one for one in lines if not _is_marked(one, mark)]
    return "\n".join([*others[: places[0]], line, *others[places[0] :], ""])


def without_line(crontab: str, mark: str) -> str:
    """Return the crontab without the lines of this mark; all others as they were."""
    return "".join(f"{one}\n" for one in _lines(crontab) if not _is_marked(one, mark))


def marked_lines(crontab: str, mark: str) -> list[str]:
    """Return the lines of this mark."""
    return [one for one in _lines(crontab) if _is_marked(one, mark)]


def _lines(crontab: str) -> list[str]:
    """Return the lines without their ends. What `str.splitlines` takes for an end besides is a part of a command."""
    return crontab.removesuffix("\n").split("\n") if crontab else []


def _is_marked(line: str, mark: str) -> bool:
    return line.rstrip("\r").endswith(f" # {mark}") and not line.lstrip().startswith("#")


def _cron_times(every_s: int) -> str:
    minutes, hours = every_s // 60, every_s // 3600
    if every_s < 3600 and 60 % minutes == 0:
        return "* * * * *" if minutes == 1 else f"*/{minutes} * * * *"
    if every_s < 86_400 and every_s % 3600 == 0 and 24 % hours == 0:
        return "0 * * * *" if hours == 1 else f"0 */{hours} * * *"
    if every_s == 86_400:
        return "0 0 * * *"
    raise BadValueError(
        f"cron cannot call every {format_interval(every_s)}: it counts minutes of an hour and hours of a day",
        hint="5m, 10m, 15m, 20m, 30m, 1h, 2h, 6h, 12h or 1d; or --with systemd",
    )


# --- systemd -----------------------------------------------------------------------------------------------------


def unit_files(call: Call, every_s: int) -> dict[str, str]:
    """Return the units by file name: a timer and the service that it calls."""
    words = " ".join(_unit_word(word) for word in call.words())
    title = f"# Made by engram heartbeat install for {_one_line(str(call.root))}\n"
    about = f"Description=Heartbeat of the Engram workspace {_unit_text(call.root.name)}\n"
    service = f"{title}[Unit]\n{about}\n[Service]\nType=oneshot\nExecStart={words}\nNice=10\n"
    timer = (
        f"{title}[Unit]\n{about}\n[Timer]\nOnActiveSec=1min\nOnUnitActiveSec={every_s}s\nAccuracySec=1min\n"
        "\n[Install]\nWantedBy=timers.target\n"
    )
    return {f"{call.mark}.service": service, f"{call.mark}.timer": timer}


def _unit_word(word: str) -> str:
    """Quote a word for ExecStart: there $ and % mean something also within quotes."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + escaped.replace("$", "$$").replace("%", "%%") + '"'


def _unit_text(text: str) -> str:
    return _one_line(text).replace("%", "%%").rstrip("\\")


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip("\\")


# --- launchd -----------------------------------------------------------------------------------------------------


def agent_file(call: Call, every_s: int) -> tuple[str, str]:
    """Return the name and the text of the launch agent; raise BadValueError for what a property list cannot say."""
    agent = {
        "Label": call.mark,
        "ProgramArguments": call.words(),
        "StartInterval": every_s,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": "/dev/null",
    }
    try:
        text = plistlib.dumps(agent, sort_keys=False)
        is_kept = plistlib.loads(text) == agent  # a carriage return would come back as a line feed: another path
    except (ValueError, ExpatError):  # control characters, half a surrogate pair
        is_kept = False
    if not is_kept:
        raise BadValueError(
            "the path of the workspace or of Python holds characters that a property list cannot hold",
            hint="engram heartbeat install --with cron, or move the workspace",
        )
    return f"{call.mark}.plist", text.decode("utf-8")


# --- when --------------------------------------------------------------------------------------------------------


class Punctuality(NamedTuple):
    """How a workspace stands with its schedule."""

    is_overdue: bool
    due_in_s: float | None  # until the next tick; None: nothing is installed; negative: it should have been
    why: str  # one sentence when it is overdue


def punctuality(since_tick_s: float | None, since_install_s: float | None, every_s: float) -> Punctuality:
    """Judge how long ago the last tick was.

    Args:
        since_tick_s: seconds since it; None: there was none.
        since_install_s: seconds since the schedule was installed; None: none is.
        every_s: the interval, of the schedule or the usual one.
    """
    waits = [one for one in (since_tick_s, since_install_s) if one is not None]
    due = None if since_install_s is None else every_s - min(waits)
    if not waits:
        return Punctuality(is_overdue=True, due_in_s=due, why="no heartbeat has run here yet, and none is installed")
    if min(waits) <= OVERDUE_AFTER * every_s:
        return Punctuality(is_overdue=False, due_in_s=due, why="")
    last = "none has ever run" if since_tick_s is None else f"the last was {_ago(since_tick_s)} ago"
    return Punctuality(is_overdue=True, due_in_s=due, why=f"{last}, and one is due every {format_interval(every_s)}")


def _ago(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3600)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 60:.0f} minutes"


def as_shell(commands: Sequence[Sequence[str]]) -> list[str]:
    """Return commands as a person would type them."""
    return [shlex.join(command) for command in commands]


def describe(plan: Mapping[str, str]) -> str:
    """Return files and their contents for people."""
    return "\n\n".join(f"{name}:\n{text.rstrip()}" for name, text in plan.items())
