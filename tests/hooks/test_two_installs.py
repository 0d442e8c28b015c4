"""Hooks of two installs of Engram in one workspace: real processes on both sides."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engram
from engram.hooks.background.warm_start import NO_START
from engram.model.fact import Actor
from engram.warm.holder import WARM_PROCESS
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.hooks.warm import FACT
from tests.hooks.warm import asks
from tests.hooks.warm import ended_at_last
from tests.hooks.warm import is_gone
from tests.hooks.warm import is_ready
from tests.hooks.warm import outcomes
from tests.hooks.warm import running
from tests.hooks.warm import settings
from tests.hooks.warm import started
from tests.warm.serving import until
from tests.warm.serving import warm_process

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at in /proc")
NEWER = "99.0.0"


def fill(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": FACT, "create": True}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Iterator[Workspace]:
    """A workspace that knows something; what hooks start there ends with the test."""
    workspace = workspace_with(fill)
    settings(workspace, "warm_ms = 60000")
    with ended_at_last(workspace.paths.root):
        yield workspace


@pytest.fixture
def other_install(tmp_path: Path) -> Path:
    """Another install of this release: the folder that holds its package."""
    folder = tmp_path / "other"
    shutil.copytree(Path(engram.__file__).parent, folder / "engram")
    return folder


@pytest.fixture
def newer_install(other_install: Path) -> Path:
    init = other_install / "engram" / "__init__.py"
    init.write_text(init.read_text().replace(f'"{engram.__version__}"', f'"{NEWER}"'))
    return other_install


def asks_by(install: Path, workspace: Workspace) -> str:
    """Send a prompt through the hook of another install; return what its agent is told."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(install))
        return asks(workspace.paths.root)


def test_one_process_answers_the_prompts_of_two_installs_of_one_release(
    filled: Workspace, other_install: Path, engram: Engram
) -> None:
    pid = started(filled)["pid"]

    assert FACT in asks_by(other_install, filled)
    assert FACT in asks(filled.paths.root)
    assert (running(filled.paths.root)["pid"], outcomes(filled)) == (pid, ["started", "given", "given"])
    assert "install" not in engram("hooks", "status").out.partition("warm process")[2]


def test_a_newer_install_takes_over_without_a_prompt_that_goes_without_memory(
    filled: Workspace, newer_install: Path, engram: Engram
) -> None:
    older = started(filled)

    assert FACT in asks_by(newer_install, filled)
    until(lambda: is_gone(older["pid"]))
    newer = until(lambda: is_ready(filled.paths.root))
    assert newer["version"] == NEWER
    assert FACT in asks(filled.paths.root)
    assert FACT in asks_by(newer_install, filled)
    assert running(filled.paths.root)["pid"] == newer["pid"]
    assert outcomes(filled) == ["started", "given", "given", "given"]
    assert "a newer release of Engram asked" in filled.paths.hooks_log.read_text()

    shown = engram("hooks", "status").out
    assert f"another install of Engram started it: {NEWER}, {sys.executable}" in shown
    assert "it answers the prompts of both" in shown


def test_an_older_process_is_told_of_as_one_that_is_about_to_be_replaced(
    filled: Workspace, engram: Engram, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(filled)
    monkeypatch.setattr("engram.warm.protocol.__version__", NEWER)
    monkeypatch.setattr("engram.cli.doors.hooks_install.__version__", NEWER)

    assert f"the next prompt that calls this install ({NEWER}) replaces it" in engram("hooks", "status").out


def test_a_server_that_does_other_work_leaves_the_door_to_a_newer_install_and_goes_on(
    filled: Workspace, newer_install: Path
) -> None:
    with warm_process(filled) as server:
        assert FACT in asks_by(newer_install, filled)
        newer = until(lambda: is_ready(filled.paths.root).get("version") == NEWER and is_ready(filled.paths.root))

        assert newer["owner"] == WARM_PROCESS
        assert server.poll() is None


def test_hosts_that_name_different_models_are_told_why_one_goes_without_memory(
    filled: Workspace, engram: Engram, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(filled)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", "/elsewhere")
    monkeypatch.setenv(NO_START, "1")

    assert asks(filled.paths.root) == ""
    assert outcomes(filled) == ["started", "refused"]
    assert "it answers no prompts from here: one of ENGRAM_EMBEDDINGS, " in engram("hooks", "status").out
