"""`scripts/bench NAME` runs wherever the repository is: it brings its own environment."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def test_a_python_without_engram_is_replaced_by_that_of_the_environment(tmp_path: Path) -> None:
    """The tests' own environment stands for the one that `scripts/venv` finds or makes."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("bench", "own_python.py"):
        (scripts / name).write_bytes((SCRIPTS / name).read_bytes())
    (scripts / "bench_extraction.py").write_text("import sys\nimport engram\nprint('ran with', sys.argv[1:])\n")
    venv = scripts / "venv"
    venv.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/groups"\necho "{sys.prefix}"\n')
    venv.chmod(0o755)

    bare = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    done = subprocess.run(
        [bare, "-S", str(scripts / "bench"), "extraction", "--no-model"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("ran with ['--no-model']\n", "")
    assert (tmp_path / "groups").read_text() == "test bench\n"
