"""The command by which other programs call this very Engram."""

import site
import sys
import sysconfig
from pathlib import Path

import engram


def own_command(root: Path, *words: str) -> tuple[str, ...]:
    """Return the command by which this very Engram, in this Python, is called from anywhere."""
    command = [sys.executable, "-P", "-m", "engram", "--workspace", str(root), *words]
    home = Path(engram.__file__).resolve().parent.parent
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    if home not in [Path(place).resolve() for place in places]:  # run from a folder that others would not know of
        command = ["/usr/bin/env", f"PYTHONPATH={home}", *command]
    return tuple(command)
