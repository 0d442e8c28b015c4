"""How a child process is run so that it cannot harm the runner: own process group, limits on time, memory and output.

Input and output are temporary files, not pipes: a child that never reads, or whose own children keep its output open,
cannot make the runner wait. However a child ends, nothing that it started is left: see `process_tree`.
"""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from typing import NamedTuple

from engram.base.ids import new_id
from engram.heartbeat.child.process_tree import MARK
from engram.heartbeat.child.process_tree import adopting
from engram.heartbeat.child.process_tree import end_descendants
from engram.heartbeat.child.process_tree import group_memory

MAX_OUTPUT_BYTES = 16 * 1024 * 1024  # of each of a child's outputs; more is a child that has gone wild
_ERROR_BYTES = 2000  # of standard error that are kept
_FIRST_POLL_S = 0.01
_LAST_POLL_S = 0.2  # memory and output are looked at about this often

_OTHERS_RIGHTS = 0o077  # that nothing gets which a child makes: it works on a memory

ENDED = "ended"
NOT_STARTED = "not_started"
TIMED_OUT = "timed_out"
TOO_MUCH_MEMORY = "too_much_memory"
TOO_MUCH_OUTPUT = "too_much_output"


class Ending(NamedTuple):
    """How a child ended and what it said."""

    status: str  # ended, not_started, timed_out, too_much_memory, too_much_output
    output: str  # standard output; bytes that are no UTF-8 replaced
    errors: str  # the end of standard error
    exit_code: int | None  # None when it was killed or never ran; negative: died of that signal


class Limits(NamedTuple):
    """What a child may use, and how far what it starts is followed."""

    timeout_s: float
    memory_mb: int  # resident memory of it and of all that it started
    adopts_orphans: bool = False
    """Whatever becomes our child meanwhile, in a session of its own, is taken for what it left, and ended. That finds
    also what hides from its parents and cleared its environment; only for a process in which nothing else starts any.
    """


def run_limited(
    command: Sequence[str],
    given: str,
    limits: Limits,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    mark: str | None = None,
    check: Callable[[], None] | None = None,
) -> Ending:
    """Run a command with the text on standard input and return how it ended; nothing that it started is left.

    `mark` stands in its environment, so that `end_marked` finds it when we are killed ourselves. `check` is called all
    the while; what it raises ends the child and is raised.
    """
    mark = mark or new_id()
    with (
        adopting() if limits.adopts_orphans else contextlib.nullcontext() as before,
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        stdin.write(given.encode("utf-8", errors="replace"))
        stdin.seek(0)
        try:
            child = subprocess.Popen(
                list(command),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env={**(os.environ if environment is None else environment), MARK: mark},
                start_new_session=True,
                umask=_OTHERS_RIGHTS,
            )
        except (OSError, ValueError) as problem:
            return Ending(NOT_STARTED, "", str(problem), None)
        try:
            status = _watch(child, (stdout, stderr), limits, check)
        finally:
            end_descendants(child.pid, mark, before)
            child.wait()
        output = _read(stdout, 0, MAX_OUTPUT_BYTES)
        errors = _read(stderr, max(0, _size(stderr) - _ERROR_BYTES), _ERROR_BYTES)
        return Ending(status, output, errors.strip(), child.returncode if status == ENDED else None)


def _watch(
    child: subprocess.Popen[bytes], said: Sequence[IO[bytes]], limits: Limits, check: Callable[[], None] | None
) -> str:
    deadline = time.monotonic() + limits.timeout_s
    pause = _FIRST_POLL_S

    def is_too_much() -> bool:
        return max(map(_size, said)) > MAX_OUTPUT_BYTES

    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=min(pause, max(0.0, deadline - time.monotonic())))
            return TOO_MUCH_OUTPUT if is_too_much() else ENDED
        if time.monotonic() >= deadline:
            return TIMED_OUT
        if check is not None:
            check()
        if is_too_much():
            return TOO_MUCH_OUTPUT
        if group_memory(child.pid) > limits.memory_mb * 1024 * 1024:
            return TOO_MUCH_MEMORY
        pause = min(pause * 2, _LAST_POLL_S)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _read(file: IO[bytes], start: int, length: int) -> str:
    file.seek(start)
    return file.read(length).decode("utf-8", errors="replace")
