"""The package's data files in TOML, kept parsed beside themselves as Python keeps its sources compiled. Light.

What a file says is kept in `__pycache__` under the rules of Python's own cache: a file that has changed is parsed
again, each version of Python keeps its own copy, `PYTHONDONTWRITEBYTECODE` and `PYTHONPYCACHEPREFIX` hold, and where
nothing can be written the file is parsed every time. Another version of Engram parses it again too: an upgrade in
place may bring a file with the time and size of the old one. Reading what was kept takes a fifth to a tenth of
parsing it.
"""

import binascii
import marshal
import os
import sys
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import engram
from engram.base.disk.plain_tables import read_plain_tables

_Stamp = tuple[Any, ...]  # what a kept value was made from: version of Engram, then such as time and size of each file
_SUFFIX = ".toml"
_SUM = 4  # bytes at the beginning: of damaged ones, five can ask for a list of sixteen gigabytes
_MODE = 0o644  # as of Python's own cache: whoever may run the package may read it


def read_table(path: str | Path) -> dict[str, Any]:
    """Return what a TOML file of the package says; each call returns a value of its own.

    Raises FileNotFoundError when there is no such file, tomllib.TOMLDecodeError when it is no TOML.
    """
    found = os.stat(path)  # noqa: PTH116 - a Path takes longer to make than the rest takes
    stamp = (engram.__version__, found.st_mtime_ns, found.st_size)
    table: dict[str, Any] = read_kept(f"{path}.py", stamp, lambda: _parse(path))
    return table


def read_tables(folder: str) -> dict[str, dict[str, Any]]:
    """Return what the TOML files of a folder say, by their names without ending, in order.

    They are kept together: many small files are read as quickly as one. Raises what `read_table` does.
    """
    with os.scandir(folder) as entries:
        files = sorted((one.name, one.stat().st_mtime_ns, one.stat().st_size) for one in entries if _is_table(one.name))
    names = [name for name, _, _ in files]
    stamp = (engram.__version__, *files)
    tables: dict[str, dict[str, Any]] = read_kept(
        f"{folder}.py", stamp, lambda: {name[: -len(_SUFFIX)]: _parse(f"{folder}/{name}") for name in names}
    )
    return tables


def read_kept(source: str, stamp: _Stamp, make: Callable[[], Any]) -> Any:
    """Return what is kept for a source under the stamp, else what `make` returns, a plain value, which is then kept.

    `source` is a path in the package whose name ends in `.py`; no file has to lie there.
    """
    place = cache_from_source(source, optimization="")
    value = _kept(place, stamp)
    if value is None:
        value = make()
        if not sys.dont_write_bytecode:
            _keep(place, stamp, value)
    return value


def _is_table(name: str) -> bool:
    return name.endswith(_SUFFIX)


def _parse(path: str | Path) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
        return read_plain_tables(file.read())


def _kept(place: str, stamp: _Stamp) -> Any:
    try:
        with open(place, "rb") as file:  # noqa: PTH123 - as above
            kept = memoryview(file.read())
        if _sum_of(kept[_SUM:]) != kept[:_SUM]:
            return None
        was, value = marshal.loads(kept[_SUM:])  # noqa: S302 - it lies where Python's own code lies
    except (OSError, ValueError, TypeError, EOFError, MemoryError):  # not there, or damaged
        return None
    return value if was == stamp else None


def _keep(place: str, stamp: _Stamp, value: Any) -> None:
    """Keep a value; where it cannot be written, or is no plain one, it is made again next time."""
    from engram.base.disk.files import write_atomically  # noqa: PLC0415 - once for each change of a file

    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        told = marshal.dumps((stamp, value))
        write_atomically(Path(place), _sum_of(told) + told, mode=_MODE)
    except (OSError, ValueError):
        return


def _sum_of(told: bytes | memoryview) -> bytes:
    return binascii.crc32(told).to_bytes(_SUM, "big")
