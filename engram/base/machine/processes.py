"""Whether another process still lives and is the same one, and how much memory this one may map."""

import errno
import os
from pathlib import Path
from types import ModuleType

try:
    import resource
except ImportError:
    _HAS_LIMITS = False  # Windows
else:
    _HAS_LIMITS = True


def is_alive(pid: int) -> bool:
    """Tell whether a process with that id runs, ours or another user's; 0 and below are no processes."""
    if pid <= 0:
        return False
    if os.name == "nt":  # where `os.kill` ends whatever it is given
        is_there: bool = _other_systems().is_there(pid)
        return is_there
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
        if Path("/proc/self/stat").exists():
            return None
        born: str | None = _other_systems().birth_of(pid)
        return born
    except ProcessLookupError:  # it ended between opening and reading
        return None
    return None if fields[0] in {"Z", "X"} else f"{boot}/{fields[19]}"


def require_address_space(least: int, what: str) -> None:
    """Raise OSError (ENOMEM) when a limit lets this process map less than so many bytes, before an engine dies of it.

    The engines map far more than they use, and where they may not, some end the process without a word.
    """
    if not _HAS_LIMITS:
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < least:
        words = f"this process may map {allowed >> 20} MiB of memory (ulimit -v), and {what} needs {least >> 20}"
        raise OSError(errno.ENOMEM, words)


def memory_held() -> int:
    """Return the bytes of memory that this process holds, on systems without /proc."""
    held: int = _other_systems().memory_held()
    return held


def _other_systems() -> ModuleType:
    from engram.base.machine import other_systems  # noqa: PLC0415 - subprocess: 5 ms, and Linux needs none of it

    return other_systems
