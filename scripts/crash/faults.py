"""Faults of the disk for one process: the preloaded library, and what it is told to do.

A step is a file operation below one folder. Steps are counted, written to a trace, or one of them kills or fails.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from enum import IntEnum
from enum import IntFlag
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("shim.c")
LIBRARY = "engram-faults.so"
READY = "ENGRAM_BENCH_CRASH"  # environment variable: the library is loaded


class Kind(IntFlag):
    """Kinds of steps."""

    OPENS = 1  # files opened to be written
    WRITES = 2
    SYNCS = 4
    RENAMES = 8
    REMOVES = 16
    CUTS = 32  # files cut or lengthened
    FOLDERS = 64  # folders made
    ALL = 127


class Mode(IntEnum):
    """What happens at the step."""

    OFF = 0
    COUNTED = 1  # nothing
    KILLED = 2  # the process dies before it
    TORN = 3  # half of a write is done, then the process dies
    FAILED = 4  # it fails, once
    FAILING = 5  # it fails, and so does every step after it
    STOPPED = 6  # the process stands still before it, until somebody lets it go on


class Plan(NamedTuple):
    """One fault."""

    mode: Mode = Mode.COUNTED
    step: int = 0  # from 1
    error: int = 0  # the errno of a step that fails
    kinds: Kind = Kind.ALL
    part: str = ""  # that a path must hold to count; "" for all
    trace: str = ""  # file to which steps are added; "" for none


def load(script: Path, arguments: list[str]) -> None:
    """Start this process again with the library, built for it; the second time, remove the file and go on.

    Leaves with a message when there is no C compiler.
    """
    if READY in os.environ:
        del os.environ["LD_PRELOAD"]  # programs that are started need no faults
        shutil.rmtree(os.environ[READY], ignore_errors=True)
        return
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        sys.exit("bench crash needs Linux and a C compiler (cc)")
    folder = tempfile.mkdtemp(prefix="engram-faults-")
    library = Path(folder) / LIBRARY
    command = [compiler, "-O1", "-w", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")},
        "LD_PRELOAD": str(library),
        "ENGRAM_EMBEDDINGS": "none",
        "OPENBLAS_NUM_THREADS": "1",  # a process with threads of its own cannot be forked safely
        READY: folder,
    }
    os.execve(sys.executable, [sys.executable, str(script), *arguments], environment)


def arm(folder: Path, plan: Plan) -> None:
    """Let this process meet a fault below a folder."""
    text = (plan.part.encode(), plan.trace.encode())
    _library().faults_plan(
        str(folder).encode(), int(plan.mode), ctypes.c_long(plan.step), plan.error, int(plan.kinds), *text
    )


def disarm() -> int:
    """Let nothing happen any more; return how many steps there were."""
    library = _library()
    library.faults_steps.restype = ctypes.c_long
    steps = int(library.faults_steps())
    arm(Path("/"), Plan(Mode.OFF))
    return steps


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
