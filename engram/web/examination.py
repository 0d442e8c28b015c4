"""One doctor at a time, asked for from the page: it runs beside the server, and anybody may look how far it is.

A process of its own, because looking at 100,000 facts keeps one processor busy for a minute and more.
"""

import atexit
import json
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.model.finding import Finding
from engram.services.doctor.repair import plan_mending

Line = dict[str, Any]


class Examination:
    """What doctor found last in one workspace, and how far it is. Safe for threads."""

    def __init__(self, root: Path) -> None:
        """Take the workspace's folder; nothing is looked at yet."""
        self._root = root
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._told: Line = {"running": False, "began_at": None}
        atexit.register(self.end)

    def state(self) -> Line:
        """Return how far it is, what was found, and what mending would do about it."""
        with self._lock:
            told = dict(self._told)
        findings = [Finding.model_validate(one) for one in told.get("findings") or []]
        plan = [
            {"does": one.does, "findings": [{"code": of.code, "path": of.path} for of in one.findings]}
            for one in plan_mending(findings)
        ]
        return {**told, "plan": plan}

    def begin(self, *, fix: bool = False) -> bool:
        """Begin unless one runs; tell whether this began it."""
        with self._lock:
            if self._told["running"]:
                return False
            command = [sys.executable, "-m", "engram.web.doctor_process", str(self._root), *(["--fix"] if fix else [])]
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            self._process = process
            self._told = {"running": True, "fix": fix, "began_at": to_iso(utc_now())}
        threading.Thread(target=self._listen, args=(process, time.monotonic()), daemon=True).start()
        return True

    def end(self) -> None:
        """End the process if it runs."""
        with self._lock:
            process = self._process
        if process is not None and process.poll() is None:
            process.terminate()

    def _listen(self, process: "subprocess.Popen[str]", began: float) -> None:
        last: Line = {}
        with process:
            for line in process.stdout or ():
                last = json.loads(line)
                if "check" in last:
                    self._tell(last)
        outcome = last if last.keys() & {"findings", "error"} else {"error": _cut_short(process.returncode)}
        self._tell({**outcome, "running": False, "took_s": round(time.monotonic() - began, 1)})

    def _tell(self, told: Line) -> None:
        with self._lock:
            self._told = {**self._told, **told}


@cache
def examination_of(root: Path) -> Examination:
    """Return the one examination of a workspace that this server knows."""
    return Examination(root)


def _cut_short(code: int) -> Line:
    return {"code": "Stopped", "message": f"doctor came to no end (exit code {code})", "hint": "engram doctor"}
