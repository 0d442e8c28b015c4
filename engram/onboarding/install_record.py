"""What `engram setup` installed for a workspace, so that `--undo` takes back that and nothing else.

The note says what was not there before: hooks and a schedule that a person had installed by hand stay. It is made
before anything is installed, so that a kill between the two leaves nothing that nobody knows of.
"""

import json
from typing import NamedTuple

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.config.paths import Paths


class Installed(NamedTuple):
    """What setup put onto this machine, outside of the workspace."""

    hosts: tuple[str, ...] = ()  # names, in the order in which they were connected
    schedule: bool = False


def read_installed(paths: Paths) -> Installed:
    """Return what was noted; nothing when there is no note, or it cannot be read."""
    try:
        found = json.loads(read_own(paths.setup))
        return Installed(tuple(str(name) for name in found["hosts"]), bool(found["schedule"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Installed()


def note_installed(paths: Paths, more: Installed) -> None:
    """Add to the note what is going to be installed now; durable when this returns."""
    before = read_installed(paths)
    hosts = tuple(dict.fromkeys([*before.hosts, *more.hosts]))
    _write(paths, Installed(hosts, before.schedule or more.schedule))


def restore_note(paths: Paths, installed: Installed) -> None:
    """Let the note say what it said before something that could not be installed."""
    _write(paths, installed)


def _write(paths: Paths, installed: Installed) -> None:
    write_durably(paths.setup, json.dumps(installed._asdict()).encode())
