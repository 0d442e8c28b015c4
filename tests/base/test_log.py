"""Warnings: each is said, and one that a command meets again and again is said once."""

import time

import pytest

from engram.base import log


def test_what_a_command_meets_again_and_again_is_said_once_a_minute(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for _ in range(3):
        log.warn_once_a_minute("the server is away")
    log.warn_once_a_minute("the disk is full")
    assert capsys.readouterr().err == "warning: the server is away\nwarning: the disk is full\n"
    now += 61
    log.warn_once_a_minute("the server is away")
    assert capsys.readouterr().err == "warning: the server is away\n"
