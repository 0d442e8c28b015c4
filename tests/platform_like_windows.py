"""Imports every module of Engram in a process that lacks what Windows lacks; prints those that cannot be imported.

Only Engram finds these modules missing: the libraries below it choose by the real system. The functions and flags of
`os`, `signal`, `socket` and `time` are gone for all.
"""

import builtins
import importlib
import os
import pkgutil
import signal
import socket
import subprocess  # noqa: F401 - loaded while everything is there
import sys
import tempfile  # noqa: F401 - likewise
import threading  # noqa: F401 - likewise
import time

MODULES = frozenset(["fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix"])
NAMES = {
    os: (
        *("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK", "fchmod", "fchown", "chown", "pread", "pwrite"),
        *(
            "getuid",
            "geteuid",
            "getgid",
            "getsid",
            "getpgid",
            "setsid",
            "killpg",
            "fork",
            "mkfifo",
            "WNOHANG",
            "sysconf",
        ),
        *("posix_fadvise", "sched_getaffinity", "uname", "nice", "getloadavg", "statvfs"),
    ),
    signal: ("SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGCHLD", "setitimer", "pthread_sigmask"),
    socket: ("AF_UNIX", "SO_PEERCRED"),
    time: ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC", "clock_gettime", "tzset"),
}
_import = builtins.__import__


def _refuse(name, globals=None, *rest, **named):  # type: ignore[no-untyped-def]  # noqa: A002
    if name.partition(".")[0] in MODULES and str((globals or {}).get("__name__", "")).startswith("engram"):
        raise ModuleNotFoundError(f"No module named {name!r}")
    return _import(name, globals, *rest, **named)


def main() -> int:
    """Import them all; return how many could not be."""
    sys.path.remove(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - where folders are called as packages
    libraries = ("click", "duckdb", "httpx", "numpy", "portalocker", "psutil", "pydantic", "qdrant_client", "uvicorn")
    for library in libraries:
        importlib.import_module(library)
    import engram

    builtins.__import__ = _refuse
    for module, names in NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    failed = 0
    for found in pkgutil.walk_packages(engram.__path__, "engram."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except (ImportError, AttributeError) as problem:
            failed += 1
            sys.stdout.write(f"{found.name}: {type(problem).__name__}: {problem}\n")
    sys.stdout.write(f"{failed} cannot be imported\n")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(), 100))
