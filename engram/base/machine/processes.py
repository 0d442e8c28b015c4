"""Whether another process still lives and is the same one, and how much memory this one may map."""

import errno
import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process with that id runs, ours or another user's; 0 and below are no processes."""
    if pid <= 0:
        return False
    if os.name == "nt":  # where `os.kill` ends whatever it is given
        import psutil  # noqa: PLC0415 - heavy, and only Windows needs it

        return bool(psutil.pid_exists(pid))
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


def require_address_space(least: int, what: str) -> None:
    """Raise OSError (ENOMEM) when a limit lets this process map less than so many bytes, before an engine dies of it.

    The engines map far more than they use, and where they may not, some end the process without a word.
    """
    try:
        import resource  # noqa: PLC0415 - not there on Windows, which has no such limit either
    except ImportError:
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < least:
        words = f"this process may map {allowed >> 20} MiB of memory (ulimit -v), and {what} needs {least >> 20}"
        raise OSError(errno.ENOMEM, words)


def _asked_of_ps(pid: int) -> str | None:
    if os.name == "nt":
        import psutil  # noqa: PLC0415 - heavy, and only Windows needs it

        try:
            return f"{psutil.Process(pid).create_time()}"
        except psutil.Error:
            return None
    import subprocess  # noqa: PLC0415 - 5 ms, and only systems without /proc need it

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    except OSError:
        return None
    return " ".join(done.stdout.split()) or None
