"""Text on a person's terminal: lines that fit, and paths from the home folder."""

import io
from pathlib import Path

import pytest

from engram.cli.terminal.screen_lines import fit_lines
from engram.cli.terminal.screen_lines import from_home
from engram.cli.terminal.screen_lines import screen_width

LONG = " 1. Never send real SMS from the test suite, use the fake gateway."


def test_a_long_line_goes_on_below_in_whole_words_behind_the_indent() -> None:
    expected = [" 1. Never send real SMS from the", "    test suite, use the fake", "    gateway."]

    assert expected == fit_lines([LONG], 32, indent="    ")


def test_lines_stay_as_they_are_where_no_terminal_reads_them() -> None:
    assert fit_lines([LONG, ""], screen_width(io.StringIO()), indent="    ") == [LONG, ""]


def test_a_word_that_is_longer_than_the_screen_stays_whole() -> None:
    path = "~/.codex/sessions/2026/03/03/rollout.jsonl"

    assert ["from", f"  {path}"] == fit_lines([f"from {path}"], 20, indent="  ")


def test_the_home_folder_is_written_as_a_shell_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert from_home(tmp_path / "notes" / "day.md") == "~/notes/day.md"
    assert from_home("/srv/notes/day.md") == "/srv/notes/day.md"
