"""The workspaces of this host whose heartbeat is installed: in the crontab, as units of systemd, as launch agents."""

import os
import plistlib
import re
import shlex
import shutil
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from xml.parsers.expat import ExpatError

from engram.base.disk.own_files import read_own
from engram.base.disk.own_files import read_own_text
from engram.errors import EngramError
from engram.heartbeat.schedule.programs import call_program
from engram.heartbeat.schedule.programs import text_of

_MARK: Final = "engram-heartbeat-"
_LINE: Final = re.compile(rf" # {_MARK}[0-9a-f]{{12}}\r?$")
_UNIT_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPTION: Final = "--workspace"


def known_workspaces() -> list[Path]:
    """Return the folders of the workspaces whose heartbeat is installed here, each once, in order."""
    return sorted({Path(root) for root in (*_of_cron(), *_of_systemd(), *_of_launchd())})


def roots_of_crontab(crontab: str) -> list[str]:
    """Return the workspaces that the marked lines of a crontab call the heartbeat of."""
    marked = [line for line in crontab.split("\n") if _LINE.search(line) and not line.lstrip().startswith("#")]
    found = []
    for line in marked:
        with suppress(ValueError):  # quotes that a person left open
            found += _root_of(shlex.split(line.replace(r"\%", "%"), comments=True))
    return found


def _of_cron() -> list[str]:
    if shutil.which("crontab") is None:
        return []
    try:
        done = call_program(["crontab", "-l"])
    except EngramError:
        return []
    return roots_of_crontab(text_of(done.stdout)) if done.returncode == 0 else []


def _of_systemd() -> Iterator[str]:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    for file in Path(home, "systemd", "user").glob(f"{_MARK}*.service"):
        for line in _lines_of(file):
            if line.startswith("ExecStart="):
                words = [re.sub(r"\\(.)", r"\1", word) for word in _UNIT_WORD.findall(line)]
                yield from _root_of([word.replace("%%", "%").replace("$$", "$") for word in words])


def _of_launchd() -> Iterator[str]:
    for file in (Path.home() / "Library" / "LaunchAgents").glob(f"{_MARK}*.plist"):
        with suppress(OSError, ValueError, ExpatError, KeyError, TypeError):
            yield from _root_of(plistlib.loads(read_own(file))["ProgramArguments"])


def _root_of(words: Sequence[str]) -> list[str]:
    places = [place for place, word in enumerate(words[:-1]) if word == _OPTION]
    return [words[place + 1] for place in places[:1]]


def _lines_of(file: Path) -> list[str]:
    try:
        return read_own_text(file, errors="replace").splitlines()
    except OSError:
        return []
