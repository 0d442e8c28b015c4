"""The repository's own life/ is what Engram writes from its own decisions."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_repository_remembers_itself_with_engram() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/life"), "--check"], capture_output=True, text=True, check=False
    )

    assert done.stdout == "life/ is what engram writes\n", done.stderr
    assert done.returncode == 0
