"""Starting the warm process: by the first hook that finds nobody who answers, and by one at a time. Light.

Who makes the stamp file starts the process, which removes the file as soon as it answers. So a process that was killed
is started anew by the next hook, and one that cannot begin is not tried again for a minute. That only one process
answers for a workspace is not left to this file: the process holds a lock.
"""

import os
import time

from engram.config.paths import Paths
from engram.hooks.background.subprocesses import start_engram

NO_START = "ENGRAM_NO_WARM_START"  # environment variable that keeps hooks from starting a process
_AGAIN_S = 60.0  # after a start that came to nothing


def start_warm(paths: Paths) -> bool:
    """Start the warm process, unless one is being started or there is nothing to recall; tell whether it was started.

    Raises OSError when the system starts no process.
    """
    if os.environ.get(NO_START) or not paths.database.exists() or not os.access(paths.locks, os.W_OK):
        return False
    if not _is_ours_to_start(paths):
        return False
    start_engram(paths, "hooks", "serve")
    return True


def _is_ours_to_start(paths: Paths) -> bool:
    """Make the stamp file; tell whether it was this process that did."""
    stamp = paths.warm_starting
    try:
        if abs(time.time() - stamp.stat().st_mtime) < _AGAIN_S:
            return False
        stamp.rename(stamp.with_name(f"{stamp.name}.{os.getpid()}"))  # of two that do this, one succeeds
        stamp.with_name(f"{stamp.name}.{os.getpid()}").unlink()
    except FileNotFoundError:
        pass
    except OSError:
        return False
    try:
        stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:  # another hook was quicker, or nothing can be written here
        return False
    return True
