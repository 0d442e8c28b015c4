"""What `engram setup` installed for a workspace, so that `--undo` takes back that and nothing else.

The note says what was not there before: hooks and a schedule that a person had installed by hand stay.
"""

import json
from typing import NamedTuple

from engram.base.files import write_atomically
from engram.config.paths import Paths


class Installed(NamedTuple):
    """What setup put onto this machine, outside of the workspace."""

    hosts: tuple[str, ...] = ()  # names, in the order in which they were connected
    schedule: bool = False


def read_installed(paths: Paths) -> Installed:
    """Return what was noted; nothing when there is no note, or it cannot be read."""
    try:
        found = json.loads(paths.setup.read_bytes())
        return Installed(tuple(str(name) for name in found["hosts"]), bool(found["schedule"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Installed()


def note_installed(paths: Paths, more: Installed) -> None:
    """Add to the note what was installed now; durable when this returns."""
    before = read_installed(paths)
    hosts = list(dict.fromkeys([*before.hosts, *more.hosts]))
    kept = {"hosts": hosts, "schedule": before.schedule or more.schedule}
    write_atomically(paths.setup, json.dumps(kept).encode(), mode=0o600)
