"""Start a script again with the Python of the environment that `scripts/venv` makes, as `scripts/test` does."""

import os
import subprocess
import sys
from pathlib import Path

VENV = Path(__file__).with_name("venv")


def use_environment(*groups: str) -> None:
    """Go on in the environment with what these groups bring, unless this Python is of an environment already."""
    if sys.prefix != sys.base_prefix:
        return
    made = subprocess.run([VENV, *groups], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        sys.exit(made.returncode)
    python = Path(made.stdout.strip()) / "bin" / "python"
    os.execv(python, [str(python), *sys.argv])
