"""Processes of systems that have no /proc, and no signal that asks whether one lives."""

import os
import subprocess
from types import ModuleType


def is_there(pid: int) -> bool:
    """Tell whether a process with that id runs."""
    return bool(_psutil().pid_exists(pid))


def memory_held() -> int:
    """Return the bytes of memory that this process holds."""
    return int(_psutil().Process().memory_info().rss)


def birth_of(pid: int) -> str | None:
    """Return when a process was born, in words of this system; None when there is none."""
    if os.name == "nt":
        psutil = _psutil()
        try:
            return f"{psutil.Process(pid).create_time()}"
        except psutil.Error:
            return None
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    except OSError:
        return None
    return " ".join(done.stdout.split()) or None


def _psutil() -> ModuleType:
    import psutil  # noqa: PLC0415 - 13 ms, and hooks on a Mac do without

    return psutil
