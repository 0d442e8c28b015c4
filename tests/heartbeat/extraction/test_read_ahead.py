"""The next question is asked while the answer to the one before is recorded."""

import os
import sys
from pathlib import Path

import pytest

from engram.heartbeat.child import child_answer
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.extraction.read_ahead import asking_ahead
from engram.workspace import Workspace

SAYS_ITS_PID_AND_WAITS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"


def test_of_a_child_whose_answer_nobody_wants_nothing_is_left(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "pid"
    command = [sys.executable, "-c", SAYS_ITS_PID_AND_WAITS, str(told)]
    monkeypatch.setattr(child_answer, "built_in_command", lambda *_: command)
    task = PhaseTask(workspace, "run", EXTRACTION, (), timeout_s=600, force=False)

    def give_up() -> None:
        with asking_ahead(task) as ask:
            ask({})
            while not (told.exists() and told.read_text()):
                pass
            raise KeyError("what was to be recorded")

    with pytest.raises(KeyError):
        give_up()

    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)
