"""The way to a process that is forked, for `tests.forked` and as a program of its own; loads next to nothing.

`python fork_door.py SOCKET WORD...` is `engram WORD...`, with the caller's streams, environment and folder.
"""

import array
import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

_MOST_S = 300  # for which anybody waits for a process


class Fork:
    """One process, started."""

    def __init__(self, place: str, asked: Mapping[str, Any], streams: Sequence[int]) -> None:
        """Ask for it at the place where `tests.forked` listens; `asked` is what `tests.forked._become` reads."""
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(_MOST_S)
        self._connection.connect(place)
        body = json.dumps(asked).encode()
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))
        self._connection.sendmsg([struct.pack("!I", len(body))], [rights])
        self._connection.sendall(body)
        self._answers = self._connection.makefile("r")
        self.pid = int(self._answers.readline())

    def wait(self) -> int:
        """Return its exit code when it has ended, negative for a signal."""
        with self._connection, self._answers:
            return int(self._answers.readline())


def command(args: Sequence[str], env: Mapping[str, str], cwd: str) -> dict[str, Any]:
    """Return what to ask for where `engram` is to be run."""
    os.umask(mask := os.umask(0))  # there is no other way to read it
    asked = {"target": "engram.cli.entry:run", "given": [], "args": [*args]}
    return {**asked, "env": dict(env), "cwd": cwd, "umask": mask}


if __name__ == "__main__":
    sys.exit(Fork(sys.argv[1], command(sys.argv[2:], os.environ, os.getcwd()), (0, 1, 2)).wait())  # noqa: PTH109 - light
