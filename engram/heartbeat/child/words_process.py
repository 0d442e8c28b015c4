"""Words for the index beside a run: `python -m engram.heartbeat.child.words_process ROOT NOW`, until its input ends.

It makes no vectors: those are made within what the run has for them. It holds the index as maintenance does, in slices,
and lets go of it when somebody waits.
"""

import datetime as dt
import select
import sys
import time

from engram.base.machine.garbage import seldom_collect
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.workspace import open_workspace

_PAUSE_S = 0.5  # between two looks for what was recorded meanwhile


def main(argv: list[str]) -> int:
    """Take words in until standard input ends; return the exit code: 1 when the index is for maintenance to mend."""
    seldom_collect()
    begun, now = time.monotonic(), dt.datetime.fromisoformat(argv[2])
    workspace = open_workspace(argv[1], now=lambda: now + dt.timedelta(seconds=time.monotonic() - begun))
    while not _is_over():
        try:
            workspace.index.take_in_words(_is_over)
        except StoreBusyError:
            pass  # the runner records just now
        except EngramError:
            return 1
        _is_over(_PAUSE_S)
    return 0


def _is_over(wait_s: float = 0.0) -> bool:
    """Tell whether standard input has ended, waiting for it at most so long."""
    return bool(select.select([sys.stdin], [], [], wait_s)[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
