"""Commands as processes: each is a fork of this one, which has every module loaded, so that a trial takes no second.

What a process acknowledged is its exit code 0, or the lines that it printed before it died.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

from crash.faults import Mode
from crash.faults import Plan
from crash.faults import arm
from crash.faults import disarm

LOADED = (
    "duckdb",
    "engram.api.memory",
    "engram.cli.main",
    "engram.heartbeat.run.runner",
    "engram.hooks.hosts.claude_code",
    "engram.hooks.run",
    "engram.mcp.tools",
    "engram.services.context.block",
    "engram.workspace",
    "qdrant_edge",
)
_READ = ("Anna prefers green tea since 4 May 2025", "Crate 7 holds amber; never open it before Monday, please.")
FAILED = 97  # exit code of an exception that nothing caught
Job = Callable[[], int]


class Done(NamedTuple):
    """How a process ended."""

    code: int  # minus the signal for one that was killed
    out: str
    err: str
    steps: int = 0
    hung: bool = False

    @property
    def acknowledged(self) -> bool:
        """Tell whether it said that it did what was asked."""
        return self.code == 0

    @property
    def broke(self) -> str:
        """Return the last line of an exception that nothing caught, or "" ."""
        return self.err.strip().splitlines()[-1][:200] if "Traceback (most recent call last)" in self.err else ""


class Running(NamedTuple):
    """A process that was started."""

    pid: int
    out: int
    err: int
    steps: Path | None


def config_of(root: Path) -> Path:
    """Return where the keys of a store lie, which are no part of it: heads of one store are not those of another."""
    return root.with_name(f"{root.name}.config")


def preload() -> None:
    """Load what commands need, and everything that they load by themselves."""
    for name in LOADED:
        importlib.import_module(name)
    from engram.cli.main import cli  # noqa: PLC0415 - just loaded

    context = click.Context(cli)
    for name in cli.list_commands(context):
        cli.get_command(context, name)
    for text in _READ:
        _read(text)
    gc.collect()
    gc.freeze()


def _read(text: str) -> None:
    """Load the expressions and words that a text is read with: that is half the time of a short command."""
    from engram.base.tokens.vocabulary import count_tokens  # noqa: PLC0415 - loads Engram
    from engram.language.compare.contradiction.compare import skeleton  # noqa: PLC0415 - as above
    from engram.language.compare.updates.update_statement import read_statement  # noqa: PLC0415 - as above
    from engram.language.screen.injection import find_injection  # noqa: PLC0415 - as above
    from engram.language.screen.redaction import redact_value  # noqa: PLC0415 - as above
    from engram.language.signal.detector import detect  # noqa: PLC0415 - as above

    read_statement(text)
    find_injection(text)
    detect(text)
    skeleton(redact_value(text))
    count_tokens(text)


def start(job: Job, folder: Path, plan: Plan | None = None, stdin: str = "") -> Running:
    """Start a job as a process of its own group, which meets a fault below the folder."""
    read_out, write_out = os.pipe()
    read_err, write_err = os.pipe()
    read_in, write_in = os.pipe()
    steps = folder.with_name(f"{folder.name}.steps") if plan is not None and plan.mode == Mode.COUNTED else None
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        for end, place in ((read_in, 0), (write_out, 1), (write_err, 2)):
            os.dup2(end, place)
        for end in (read_out, write_out, read_err, write_err, read_in, write_in):
            os.close(end)
        _run(job, folder, plan, steps)
    for end in (write_out, write_err, read_in):
        os.close(end)
    with contextlib.suppress(BrokenPipeError):
        os.write(write_in, stdin.encode())
    os.close(write_in)
    return Running(pid, read_out, read_err, steps)


def _run(job: Job, folder: Path, plan: Plan | None, steps: Path | None) -> None:
    """Do the job, and end this process."""
    code = FAILED
    try:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
        os.environ["ENGRAM_WORKSPACE"] = str(folder)
        os.environ["XDG_CONFIG_HOME"] = str(config_of(folder))
        os.chdir("/")
        if plan is not None:
            arm(folder, plan)
        code = job()
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as problem:
        code = problem.code if isinstance(problem.code, int) else 0
    except BaseException:  # noqa: BLE001 - the boundary of the process
        traceback.print_exc(file=sys.stderr)
        sys.stderr.flush()
    finally:
        if plan is not None:
            count = disarm()
            if steps is not None:
                steps.write_text(str(count))
        os._exit(code)


def finish(running: Running, timeout_s: float = 90) -> Done:
    """Wait for a process and return how it ended; one that takes longer is killed."""
    parts: dict[int, bytes] = {running.out: b"", running.err: b""}
    live, began, hung = set(parts), time.monotonic(), False
    while live:
        left = timeout_s - (time.monotonic() - began)
        if left <= 0 and not hung:
            hung, began = True, time.monotonic() - timeout_s + 2
            kill(running)
        ready, _, _ = select.select(list(live), [], [], max(left, 0.1))
        if not ready and hung:
            break
        for end in ready:
            piece = os.read(end, 1 << 16)
            parts[end] += piece
            if not piece:
                live.discard(end)
    os.close(running.out)
    os.close(running.err)
    _, status = os.waitpid(running.pid, 0)
    steps = int(running.steps.read_text()) if running.steps is not None and running.steps.exists() else 0
    out, err = (parts[end].decode("utf-8", "replace") for end in (running.out, running.err))
    return Done(os.waitstatus_to_exitcode(status), out, err, steps, hung)


def kill(running: Running, *, group: bool = True) -> None:
    """Kill a process, or its whole group."""
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(running.pid, signal.SIGKILL)


def call(job: Job, folder: Path, plan: Plan | None = None, stdin: str = "", timeout_s: float = 90) -> Done:
    """Run a job to its end."""
    return finish(start(job, folder, plan, stdin), timeout_s)
