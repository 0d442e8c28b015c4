"""Whether another process still lives."""

import os


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
