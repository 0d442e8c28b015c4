"""The built-in children, answered for in the test's own process: they say the same, and no process is started."""

import importlib
import json
from collections.abc import Sequence
from typing import Any

import pytest

from engram.heartbeat import results
from engram.heartbeat.phases import chosen_phases
from engram.heartbeat.process import ENDED
from engram.heartbeat.process import Ending
from engram.model.handoff import Handoff
from engram.rules.handoff import render_handoff


def answer_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no phase of this test start a child; how children are run and read is tested with real ones elsewhere."""
    monkeypatch.setattr(results, "run_limited", _answer)


def _answer(command: Sequence[str], given: str, *_: Any, **__: Any) -> Ending:
    (phase,) = chosen_phases((command[-2],))
    answering = importlib.import_module(f"engram.heartbeat.answering.{phase.name.replace('-', '_')}")
    handoff: Handoff = answering.answer(json.loads(given))
    return Ending(ENDED, render_handoff(handoff, phase.template), "", 0)
