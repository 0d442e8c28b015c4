"""Which tests are `unit`: those of one part, without a folder, a database file or a process; `scripts/test unit`.

They need no mark: a test of a folder in FOLDERS is one unless it asks for a temporary folder, by whatever fixture, or
is marked `integration` or `soak`. A unit test that starts a process fails.
"""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent
FOLDERS = frozenset({"base", "config", "heartbeat", "hooks", "importers", "language", "mcp", "rules", "services"})
FOLDERS_ON_DISK = {"tmp_path", "tmp_path_factory", "pytester"}  # fixtures


def mark_units(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.path.is_relative_to(ROOT) and item.path.relative_to(ROOT).parts[0] in FOLDERS and _is_unit(item):
            item.add_marker(pytest.mark.unit)


def _is_unit(item: pytest.Item) -> bool:
    asked: list[str] = getattr(item, "fixturenames", [])
    is_more = any(item.get_closest_marker(name) for name in ("integration", "soak"))
    return FOLDERS_ON_DISK.isdisjoint(asked) and not is_more


@contextlib.contextmanager
def without_processes() -> Iterator[None]:
    """Let every start of a process fail for the length of the block."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subprocess.Popen, "_execute_child", _refuse)
        yield


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("a unit test starts no process: mark the test `integration`")
