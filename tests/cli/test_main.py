"""The one door: exit codes, pipes that close, and errors without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram.cli.invocation.asked import Invocation
from engram.workspace import Workspace
from tests.conftest import Engram


@pytest.mark.parametrize("command", ["--help", "signal 'I prefer tea'", "config"])
def test_a_reader_that_goes_away_is_no_error(command: str, workspace: Workspace) -> None:
    root = workspace.paths.root
    shell = f"'{sys.executable}' -m engram --workspace '{root}' {command} | true; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_is_piped_arrives_whole(engram_started: Engram) -> None:
    answer = engram_started("--help")

    assert answer.code == 0
    assert answer.out.endswith('engram write --entity projects/demo --create --fact "Demo uses DuckDB"\n')


BREAKS = """
import sys

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "duckdb":
            raise RuntimeError("the engine is broken")

sys.meta_path.insert(0, Broken())
"""


def test_a_failure_nobody_expected_shows_its_traceback_only_when_asked(engram_started: Engram, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BREAKS)  # Python runs it before anything else
    broken = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    plain = engram_started("facts", env=broken)
    debug = engram_started("facts", env={**broken, "ENGRAM_DEBUG": "1"})

    assert plain.code == 1
    assert "the engine is broken" in plain.err
    assert "Traceback" not in plain.err
    assert "hint: " in plain.err
    assert "Traceback" in debug.err


def test_the_version_is_told(engram: Engram) -> None:
    assert engram("--version").out.startswith("engram, version ")


def test_only_a_process_of_its_own_is_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    asked = Invocation()

    asked.leave(0)
    assert left == []

    asked.ends_process = True
    asked.leave(3)
    assert left == [3]


@pytest.mark.parametrize(
    ("allowed", "command"),
    [
        (500_000, "facts"),
        (800_000, "write --entity people/anna --create --fact 'Anna sings'"),
        (1_200_000, "recall anna"),
    ],
)
def test_sound_14_a_process_that_may_map_too_little_memory_says_so_instead_of_dying(
    allowed: int, command: str, workspace: Workspace
) -> None:
    root = workspace.paths.root
    shell = f"ulimit -v {allowed}; '{sys.executable}' -m engram --workspace '{root}' {command}"

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f"may map {allowed >> 10} MiB of memory (ulimit -v)" in done.stderr
    assert "raise the limit" in done.stderr
