"""Points at which a test kills the process, to see what a crash right there leaves behind.

Free unless the environment says otherwise when the process starts. `ENGRAM_FAULT_AT` is the number of the point that is
reached (1 is the first), or a point's name, at whose first reaching the process dies of SIGKILL. `ENGRAM_FAULT_LOG` is
a file to which the name of every point that is reached is appended, one a line. A process counts for itself: children
that write nothing reach no point.
"""

import os

_AT = os.environ.get("ENGRAM_FAULT_AT", "")
_LOG = os.environ.get("ENGRAM_FAULT_LOG", "")
_IS_ON = bool(_AT or _LOG)


class _Reached:
    count = 0


def fault_point(name: str) -> None:
    """Pass, or die here: `name` says before or after which durable step this is."""
    if _IS_ON:
        _reach(name)


def _reach(name: str) -> None:
    _Reached.count += 1
    if _LOG:
        handle = os.open(_LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{name}\n".encode())
        os.close(handle)
    if _AT in {name, str(_Reached.count)}:
        import signal  # noqa: PLC0415 - half a millisecond, and every process that writes comes by

        os.kill(os.getpid(), signal.SIGKILL)
