"""Children, answered for in the test's own process: they say the same, and no process is started."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

from engram.cli.entry import run
from engram.heartbeat.child import child_answer
from engram.heartbeat.child.__main__ import answer
from engram.heartbeat.child.__main__ import exit_code
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.phases import chosen_phases
from engram.rules.handoff.handoff import render_handoff
from tests.heartbeat import agent

if TYPE_CHECKING:
    import pytest


def answer_in_process(monkeypatch: "pytest.MonkeyPatch") -> None:
    """Let no phase of this test start a built-in child or the scripted agent; any other command is run.

    How children are run and read is tested with real ones elsewhere.
    """
    monkeypatch.setattr(child_answer, "run_limited", _answer)


def answer_here() -> None:
    """Let no phase start such a child for as long as this process lives."""
    child_answer.run_limited = _answer  # type: ignore[attr-defined]


def run_engram() -> None:
    """Be `engram`, and answer for the children here: a `target` of `tests.forked`."""
    answer_here()
    run()


def _answer(command: Sequence[str], given: str, *args: Any, **named: Any) -> Ending:
    mode = command[-1]
    if agent.__file__ in command and mode not in agent.AS_A_PROCESS:
        said = agent.reply(mode, given).encode(errors="surrogateescape").decode(errors="replace")
        return Ending(ENDED, said, agent.CRASHES.get(mode, ""), 3 if mode in agent.CRASHES else 0)
    if "engram.heartbeat.child" not in command:
        return run_limited(command, given, *args, **named)
    (phase,) = chosen_phases((command[-2],))
    handoff = answer(phase, io.StringIO(given))
    return Ending(ENDED, render_handoff(handoff, phase.template), "", exit_code(handoff))
