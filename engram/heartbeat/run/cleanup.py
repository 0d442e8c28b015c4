"""Removes the temporary files that a run left which was killed between writing and renaming.

Only where none but the holder of a lock writes, and with that lock held: a file that somebody is just writing stays.
The spool and the index are left out: their own code knows what is whole there.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.files import TEMPORARY
from engram.errors import StoreBusyError
from engram.operations.domains.domain_lock import hold_domains
from engram.workspace import Workspace


def sweep(workspace: Workspace) -> int:
    """Remove what is left over in life/, memory/, ops/ and among the runs, and return how many files that was.

    Does nothing while another process writes: the run after the next crash will find it.
    """
    paths = workspace.paths
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(hold_domains(workspace, "heartbeat", wait_s=0))
            stack.enter_context(workspace.locks.named("store", "heartbeat").hold(wait_s=0))
        except StoreBusyError:
            return 0
        left = [*_below(paths.life), *_below(paths.memory), *_below(paths.ops), *_below(paths.runs)]
        left += paths.state.glob(f"{TEMPORARY}*")
        for file in left:
            file.unlink(missing_ok=True)
        return len(left)


def _below(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob(f"{TEMPORARY}*") if file.is_file() and not file.is_symlink())
