"""A heartbeat that is started from the page: a process of its own, as cron starts one, that outlives the page."""

import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

from engram.errors import RefusedError


class HeartbeatProcess:
    """The heartbeat that this server started last in one workspace, and why it failed. Safe for threads."""

    def __init__(self, root: Path) -> None:
        """Take the workspace's folder; nothing is started."""
        self._command = [sys.executable, "-m", "engram", "--workspace", str(root), "heartbeat", "run"]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._trouble = ""

    def begin(self) -> None:
        """Start one; raise RefusedError while the one before runs."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise RefusedError("a heartbeat runs already", hint="wait until it is done")
            said = tempfile.TemporaryFile()  # noqa: SIM115 - the thread below closes it
            self._trouble = ""
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,  # what ends the page does not end it
            )
            listening = threading.Thread(target=self._listen, args=(self._process, said), daemon=True)
        listening.start()

    def trouble(self) -> str:
        """Return what the last one said when it failed; empty while it runs, and after one that did not fail."""
        with self._lock:
            return self._trouble

    def wait(self) -> None:
        """Wait for the one that runs."""
        if self._process is not None:
            self._process.wait()

    def _listen(self, process: "subprocess.Popen[bytes]", said: "tempfile._TemporaryFileWrapper[bytes]") -> None:
        with said:
            code = process.wait()
            said.seek(0)
            words = said.read().decode("utf-8", errors="replace").strip()
        if code:
            with self._lock:
                self._trouble = words or f"the heartbeat left with exit code {code}"


@cache
def heartbeat_of(root: Path) -> HeartbeatProcess:
    """Return the one of a workspace that this server knows."""
    return HeartbeatProcess(root)
