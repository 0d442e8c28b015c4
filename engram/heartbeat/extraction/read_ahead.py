"""The next question, asked while the answer to the one before is recorded: two processes are busy instead of one."""

import contextlib
import dataclasses
import threading
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseTask
from engram.model.handoff import Handoff

Ask = Callable[[dict[str, Any]], "Future[Handoff]"]


@contextlib.contextmanager
def asking_ahead(task: PhaseTask) -> Iterator[Ask]:
    """Give what asks the built-in child in a thread, one question after the other.

    Nothing is left of a child whose answer nobody wants any more when the block ends. The child leaves no orphans, and
    what else runs beside it is none.
    """
    alone = dataclasses.replace(task.without_agent(), adopts_orphans=False)
    is_over = threading.Event()

    def check() -> None:
        if is_over.is_set():
            raise PhaseFailedError("the answer is not wanted any more")

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="child") as pool:
        try:
            yield lambda question: pool.submit(ask_child, alone, question, "", "", check=check)
        finally:
            is_over.set()
