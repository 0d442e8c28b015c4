"""The package's data files in TOML, kept parsed beside themselves as Python keeps its sources compiled. Light.

What a file says is kept in `__pycache__` under the rules of Python's own cache: a file that has changed is parsed
again, each version of Python keeps its own copy, `PYTHONDONTWRITEBYTECODE` and `PYTHONPYCACHEPREFIX` hold, and where
nothing can be written the file is parsed every time. Another version of Engram parses it again too: an upgrade in
place may bring a file with the time and size of the old one. Reading what was kept takes a fifth to a tenth of
parsing it.
"""

import marshal
import os
import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import engram
from engram.base.plain_tables import read_plain_tables

_Stamp = tuple[str, int, int]  # what a kept table was made from: version of Engram, time and size of the file


def read_table(path: str | Path) -> dict[str, Any]:
    """Return what a TOML file of the package says; each call returns a value of its own.

    Raises FileNotFoundError when there is no such file, tomllib.TOMLDecodeError when it is no TOML.
    """
    found = os.stat(path)  # noqa: PTH116 - a Path takes longer to make than the rest takes
    stamp = (engram.__version__, found.st_mtime_ns, found.st_size)
    place = cache_from_source(f"{path}.py", optimization="")
    table = _kept(place, stamp)
    if table is None:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
            table = read_plain_tables(file.read())
        if not sys.dont_write_bytecode:
            _keep(place, stamp, table)
    return table


def _kept(place: str, stamp: _Stamp) -> dict[str, Any] | None:
    try:
        with open(place, "rb") as file:  # noqa: PTH123 - as above
            was, table = marshal.load(file)  # noqa: S302 - it lies where Python's own code lies
    except (OSError, ValueError, TypeError, EOFError, MemoryError):  # not there, or damaged
        return None
    return table if was == stamp else None


def _keep(place: str, stamp: _Stamp, table: dict[str, Any]) -> None:
    """Keep what a file says; where that cannot be written, or is no plain value, it is parsed again next time."""
    from engram.base.files import write_atomically  # noqa: PLC0415 - once for each change of a file

    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(Path(place), marshal.dumps((stamp, table)))
    except (OSError, ValueError):
        return
