"""Temporary files lie in memory only where there is room, and never where somebody wants them elsewhere."""

import os
import tempfile
from pathlib import Path

import pytest

from tests import temporary


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", "")  # so that it is put back as it was
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    monkeypatch.setattr(temporary, "MEMORY", tmp_path)
    monkeypatch.setattr(temporary, "ROOM", 1)


def test_a_folder_with_room_is_taken_by_this_process_and_those_it_starts(tmp_path: Path) -> None:
    temporary.use_memory()

    assert os.environ["TMPDIR"] == str(tmp_path)
    assert tempfile.gettempdir() == str(tmp_path)


def test_without_room_or_without_the_folder_all_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(temporary, "ROOM", 1 << 80)
    temporary.use_memory()
    monkeypatch.setattr(temporary, "ROOM", 1)
    monkeypatch.setattr(temporary, "MEMORY", tmp_path / "nowhere")
    temporary.use_memory()

    assert "TMPDIR" not in os.environ
    assert tempfile.gettempdir() == "/tmp"


def test_a_place_that_is_named_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    temporary.use_memory()

    assert os.environ["TMPDIR"] == "/elsewhere"
    assert tempfile.gettempdir() == "/tmp"
