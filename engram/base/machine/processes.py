"""Whether another process still lives, and whether it is the same one."""

import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process with that id runs, ours or another user's; 0 and below are no processes."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def birth_of(pid: int) -> str | None:
    """Return what tells a process from a later one with the same id: when it was born; None when there is none.

    Comparable only with other answers of this machine. On Linux the boot's id and the clock tick of the birth, which no
    change of the clock moves; elsewhere what `ps` says.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _asked_of_ps(pid)
    except ProcessLookupError:  # it ended between opening and reading
        return None
    return None if fields[0] in {"Z", "X"} else f"{boot}/{fields[19]}"


def _asked_of_ps(pid: int) -> str | None:
    import subprocess  # noqa: PLC0415 - 5 ms, and only systems without /proc need it

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    except OSError:
        return None
    return " ".join(done.stdout.split()) or None
