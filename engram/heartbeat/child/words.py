"""The process that takes words into the index while the runner records: see `words_process`."""

import subprocess
import sys
from contextlib import suppress

from engram.heartbeat.child.phases import child_environment
from engram.workspace import Workspace

_STOPS_WITHIN_S = 60.0  # it stops after the slice that it is at; a machine that is busy may take its time


class WordsProcess:
    """One such process. It ends when its input does, so also when the runner dies."""

    def __init__(self, workspace: Workspace) -> None:
        """Start it; where that cannot be done there is none, and nothing is lost by it."""
        command = [sys.executable, "-P", "-m", "engram.heartbeat.child.words_process"]
        command += [str(workspace.paths.root), workspace.now().isoformat()]
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )

    def stop(self) -> int | None:
        """Wait until it has let go of the index, and return its exit code; None when it never ran.

        One that does not end in time is killed: what it had not finished is done again.
        """
        if self._process is None:
            return None
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            return self._process.wait(_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
