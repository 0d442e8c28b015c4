"""What all tests share: a clean environment, a workspace, and the command line as a function and as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from engram.setting_up import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW

settings.register_profile("untimed", deadline=None)  # a machine that is busy with other things fails no test
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of the person who runs it, and none reaches for a network."""
    for name in [name for name in os.environ if name.startswith("ENGRAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("ENGRAM_EMBEDDINGS", "none")  # `auto` would find what happens to be installed


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A fresh workspace in UTC, at a fixed time, without an embedding model."""
    root = tmp_path / "workspace"
    make_workspace(root, {"timezone": "UTC"}, now=lambda: NOW, force=False, dry_run=False)
    with (root / "engram.toml").open("a") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    return open_workspace(str(root), now=lambda: NOW)


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


@pytest.fixture
def engram(workspace: Workspace) -> Engram:
    """Run `engram ...` as a real process in the workspace."""

    def run(*args: str, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), *args]
        environment = {**os.environ, **(env or {})}
        return Answer(subprocess.run(command, input=data, capture_output=True, env=environment, check=False))

    return run
