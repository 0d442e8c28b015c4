"""A crontab that keeps what it is given in a file, in the place of the system's."""

import sys
from pathlib import Path

_CRONTAB = """#!{python}
import pathlib, sys
kept = pathlib.Path({kept!r})
if sys.argv[1:] == ["-l"]:
    if not kept.exists():
        sys.exit("no crontab for mara")
    sys.stdout.buffer.write(kept.read_bytes())
else:
    kept.write_bytes(sys.stdin.buffer.read())
"""


def put_crontab(programs: Path, kept: Path) -> Path:
    """Put the program into a folder that stands first in PATH; return the file that it keeps."""
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / "crontab"
    program.write_text(_CRONTAB.format(python=sys.executable, kept=str(kept)))
    program.chmod(0o755)
    return kept
