"""Memories that random sequences begin with: made once in a process, and copied for each of them."""

import atexit
import datetime as dt
import functools
import tempfile
from pathlib import Path
from typing import NamedTuple

import engram

BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_PEOPLE = ("people/anna", "people/boris", "projects/billing")
_TEXTS = ("Anna prefers tea", "Anna prefers coffee", "Anna does not prefer tea")


class Begun(NamedTuple):
    """A memory that something is said in already."""

    root: Path  # nobody writes there
    facts: tuple[str, ...]  # ids of what is said


@functools.cache
def empty(zone: str) -> Path:
    """Return a workspace in a time zone in which nothing is said."""
    root = _folder() / zone.replace("/", "-") / "empty"
    engram.init(root, timezone=zone, owner="nobody", now=lambda: BEGIN).close()
    return root


@functools.cache
def begun(zone: str) -> Begun:
    """Return a memory in a time zone that holds something that commands can be about."""
    root = _folder() / zone.replace("/", "-") / "begun"
    with engram.init(root, timezone=zone, owner="nobody", now=lambda: BEGIN) as memory:
        for path in _PEOPLE:
            memory.entity_add(path)
        return Begun(root, tuple(memory.write(_PEOPLE[0], text).id or "" for text in _TEXTS))


@functools.cache
def _folder() -> Path:
    made = tempfile.TemporaryDirectory(prefix="engram-begun-")
    atexit.register(made.cleanup)
    return Path(made.name)
