"""Paths that begin with a tilde."""

from pathlib import Path

import pytest

from engram.base.disk.home import at_home
from engram.hooks.background.deferred_requests import leave_transcript
from engram.workspace import Workspace
from tests.conftest import Engram

NOBODYS = "~nobody-has-this-name/notes.jsonl"


def test_a_tilde_is_our_home_and_a_name_that_nobody_has_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # on Windows
    assert at_home("~/notes") == tmp_path / "notes"
    assert at_home(Path("~/notes")) == tmp_path / "notes"
    assert at_home(NOBODYS) == Path(NOBODYS)
    assert at_home("notes") == Path("notes")


def test_a_transcript_in_a_home_that_nobody_has_is_refused_as_any_other_that_is_none(workspace: Workspace) -> None:
    with pytest.raises(ValueError, match="is no transcript"):
        leave_transcript(workspace.paths, host="claude-code", transcript=NOBODYS, session="s")


def test_a_folder_in_a_home_that_nobody_has_is_one_that_is_not_there(engram: Engram) -> None:
    answer = engram("restore", "~nobody-has-this-name/backup")
    assert (answer.code, "RuntimeError" in answer.err) == (3, False), answer.err
