"""What a hook spools, and what it does when it cannot."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.base.text import has_control
from engram.hooks.run import MAX_INPUT_BYTES
from engram.hooks.run import run_hook
from engram.model.command import Envelope
from engram.workspace import Workspace


def hook(workspace: Workspace, event: str = "user-prompt", **host: object) -> str | None:
    return run_hook(event, json.dumps(host).encode(), str(workspace.paths.root))


def spooled(workspace: Workspace) -> list[Envelope]:
    return [Envelope.model_validate_json(path.read_bytes()) for path in workspace.spool.waiting()]


def test_the_envelope_is_one_that_the_recorder_reads(workspace: Workspace) -> None:
    command_id = hook(workspace, prompt="I prefer \x1btea to coffee.", session_id="Chat/7")
    (envelope,) = spooled(workspace)
    args: Any = envelope.args

    assert (envelope.id, envelope.kind, envelope.actor.value, envelope.wants_result) == (
        command_id,
        "capture",
        "user",
        False,
    )
    assert args["session"] == "chat-7"
    assert not has_control(args["turns"][0]["text"])


def test_a_host_without_session_ids_speaks_in_the_main_session(workspace: Workspace) -> None:
    hook(workspace, prompt="I prefer tea to coffee.", session_id="///")
    hook(workspace, prompt="I prefer tea to coffee.")

    assert [envelope.args["session"] for envelope in spooled(workspace)] == ["main", "main"]


def test_too_much_input_is_left_and_logged(workspace: Workspace) -> None:
    assert run_hook("user-prompt", b" " * (MAX_INPUT_BYTES + 1), str(workspace.paths.root)) is None
    assert "larger than 4 MiB" in (workspace.paths.state / "hooks.log").read_text()


@pytest.mark.parametrize("folder", ["nowhere", "a\0b"])
def test_a_workspace_that_is_not_there_is_no_error(tmp_path: Path, folder: str) -> None:
    assert run_hook("user-prompt", b"{}", str(tmp_path / folder)) is None


def test_a_state_folder_that_cannot_be_written_is_no_error(workspace: Workspace) -> None:
    log = workspace.paths.state / "hooks.log"
    log.mkdir()

    assert run_hook("user-prompt", b"{", str(workspace.paths.root)) is None
