"""Many writers at once, and writers that are killed, by the scorer that stands beside the project.

The usual run has a few writers and kills: it shows that commands, heartbeats and recovery work together in real
processes. Rare meetings need the numbers of the soak (`scripts/test -m soak`): with the lock taken out, 64 commands
went well and 160 did not. That the lock holds is tested in tests/store/test_locks.py, and kills at each step by
`scripts/soak kills`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.shared import SHARED
from tests.shared import needs

HAMMER = SHARED / "bench" / "hammer.py"
ROOT = Path(__file__).parents[2]

pytestmark = needs(HAMMER)


@pytest.fixture
def engram(tmp_path: Path, what: list[str]) -> Path:
    """A command that runs this checkout with this Python; one that is not killed need not import all of it anew."""
    command = tmp_path / "engram"
    if what[0] != "crash" and "--writers" in what:
        return forked.door(command)
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m engram "$@"\n')
    command.chmod(0o755)
    return command


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(["concurrent", "--writers", "5", "--each", "2"], id="a few writers"),
        pytest.param(["crash", "--kills", "8", "--longest", "4"], id="a few kills"),
        pytest.param(["concurrent"], id="many writers", marks=pytest.mark.soak),
        pytest.param(["crash", "--kills", "100"], id="a hundred kills", marks=pytest.mark.soak),
    ],
)
def test_nothing_acknowledged_is_lost_or_doubled(engram: Path, what: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(HAMMER), *what, "--engram", str(engram)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " lost 0 doubled 0 " in done.stdout
    assert "verify-exit 0" in done.stdout
    assert "acknowledged 0 " not in done.stdout  # something was really written
