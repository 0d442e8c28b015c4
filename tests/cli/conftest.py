"""What tests of commands share."""

import pytest

from tests.heartbeat.in_process import answer_in_process


@pytest.fixture(autouse=True)
def _children_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test of a command starts the heartbeat's own children: how these are run is tested below tests/heartbeat."""
    answer_in_process(monkeypatch)
