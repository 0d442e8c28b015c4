"""What all tests share: a clean environment, a workspace, and the command line as a function and as a process.

Properties are tried with about 30 examples each, with HYPOTHESIS_PROFILE=nightly with about 200; see `tests.effort`.
Temporary files lie in memory where there is room, and go with a test that passes; see `tests.temporary`.
"""

import contextlib
import functools
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from typing import Any

import pytest

from engram.cli.main import main
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests import forked
from tests.effort import load_profile
from tests.heartbeat.in_process import answer_in_process
from tests.making import NOW
from tests.shared import pytest_terminal_summary  # noqa: F401 - pytest looks for it here
from tests.sparse import copy_folder
from tests.temporary import use_memory
from tests.unit import mark_units
from tests.unit import without_processes

ROOT = Path(__file__).resolve().parent

load_profile()
use_memory()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the unit tests, before `-m` chooses; what lies in no folder goes first, the long ones are among it.

    So a processor that has nothing left to do finds short tests to take over.
    """
    mark_units(items)
    items.sort(key=lambda item: item.path.parent != ROOT)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the collector of garbage rest while ten thousand tests are collected: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what was collected: ten thousand tests that stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Hold unit tests to what they are."""
    with without_processes() if item.get_closest_marker("unit") else contextlib.nullcontext():
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> Iterator[None]:
    """No test sees the settings of the person who runs it, and none reaches for a network."""
    # Not a folder of pytest's: every test would ask for one, and none be a unit test.
    with pytest.MonkeyPatch.context() as environment, tempfile.TemporaryDirectory() as config:
        for name in [name for name in os.environ if name.startswith("ENGRAM_")]:
            environment.delenv(name)
        environment.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # nor who that is
        environment.setenv("GIT_CONFIG_NOSYSTEM", "1")
        environment.setenv("LOGNAME", "root")
        environment.setenv("XDG_CONFIG_HOME", config)  # where the key for heads lies
        environment.setenv("HF_HUB_OFFLINE", "1")
        environment.setenv("ENGRAM_NO_WARM_START", "1")  # a process that outlives its test would be in others' way
        environment.setenv("ENGRAM_EMBEDDINGS", "none")  # `auto` would find what happens to be installed
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A fresh workspace in UTC, at a fixed time, without an embedding model."""
    return workspace_in(tmp_path)


def workspace_in(folder: Path) -> Workspace:
    """Make such a workspace; for fixtures that many tests share."""
    root = folder / "workspace"
    make_workspace(root, {"timezone": "UTC", "owner": "nobody"}, now=lambda: NOW, force=False, dry_run=False)
    with (root / "engram.toml").open("a") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    return open_workspace(str(root), now=lambda: NOW)


Fill = Callable[[Workspace], object]
WorkspaceWith = Callable[[Fill], Workspace]


@pytest.fixture(scope="session")
def _filled_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fill], Path]:
    def make(fill: Fill) -> Path:
        made = workspace_in(tmp_path_factory.mktemp("filled"))
        fill(made)
        return made.paths.root

    return functools.cache(make)


@pytest.fixture
def workspace_with(workspace: Workspace, _filled_once: Callable[[Fill], Path]) -> WorkspaceWith:
    """Make the test's workspace what a function fills it with; the function is called once, its files are copied.

    For what several tests of a module begin with. The function must need nothing but the workspace.
    """

    def copy(fill: Fill) -> Workspace:
        filled = _filled_once(fill)
        own = workspace.paths.settings
        assert own.read_bytes() == (filled / own.name).read_bytes(), "other settings would have filled it otherwise"
        copy_folder(filled, workspace.paths.root)
        return workspace

    return copy


@pytest.fixture
def children_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No phase of a heartbeat starts a child: for tests of what comes of a heartbeat, not of how one runs."""
    answer_in_process(monkeypatch)


class Answer:
    """What one process said."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8")

    @property
    def json(self) -> Any:
        """The one JSON value on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The one JSON object on stderr."""
        found: dict[str, Any] = json.loads(self.err.splitlines()[-1])
        return found


Engram = Callable[..., Answer]
_STREAMS = ("stdin", "stdout", "stderr")


@pytest.fixture
def engram_process(workspace: Workspace) -> Engram:
    """Run `engram ...` as a process of its own in the workspace: for what only a process shows; see `tests.forked`."""

    def run(*args: str, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        words = ["--workspace", str(workspace.paths.root), *args]
        return Answer(forked.run(words, stdin=data, env={**os.environ, **(env or {})}))

    return run


@pytest.fixture
def engram_started(workspace: Workspace) -> Engram:
    """Run `python -m engram ...` in the workspace: for what only its start shows, and several times later."""

    def run(*args: str, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), *args]
        environment = {**os.environ, **(env or {})}
        return Answer(subprocess.run(command, input=data, capture_output=True, env=environment, check=False))

    return run


@pytest.fixture
def engram(workspace: Workspace) -> Engram:
    """Run `engram ...` in the workspace and in this process."""
    return engram_in(workspace)


@pytest.fixture
def engram_here(workspace: Workspace) -> Engram:
    """Run `engram ...` as the fixture `engram` does, whatever a module makes of that one."""
    return engram_in(workspace)


def engram_in(workspace: Workspace) -> Engram:
    """Return a function that runs `engram ...` in a workspace and in this process."""

    def run(*args: str, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return Answer(call_here(["--workspace", str(workspace.paths.root), *args], data, env or {}))

    return run


def call_here(
    args: list[str], stdin: bytes, env: Mapping[str, str], run: Callable[[list[str]], int] = main
) -> subprocess.CompletedProcess[bytes]:
    """Run one command in this process.

    The streams are files, as in `engram ... < in > out`, so that what asks for their descriptors finds them.
    """
    with contextlib.ExitStack() as stack:
        patched = stack.enter_context(pytest.MonkeyPatch.context())
        streams = {name: stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for name in _STREAMS}
        for name, stream in streams.items():
            patched.setattr(sys, name, stream)
        for name, value in env.items():
            patched.setenv(name, value)
        streams["stdin"].buffer.write(stdin)
        streams["stdin"].seek(0)
        code = run(args)
        return subprocess.CompletedProcess(args, code, _all_of(streams["stdout"]), _all_of(streams["stderr"]))


def _all_of(stream: IO[str]) -> bytes:
    stream.flush()
    stream.seek(0)
    return stream.buffer.read()  # type: ignore[attr-defined, no-any-return]
