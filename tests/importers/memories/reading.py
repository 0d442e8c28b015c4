"""What all tests of readers share: a source out of texts, and its items by kind."""

import datetime as dt
from collections.abc import Mapping
from typing import TypeVar

from engram.importers.memories.formats import FORMATS
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject

OWNER = "people/anna"
Kind = TypeVar("Kind", bound=Item)


def read(form: str, files: Mapping[str, str | bytes], source: str = "memory") -> list[Item]:
    """Return the items of files, as the importer would give them to the reader."""
    wanted = [
        SourceFile(name, content if isinstance(content, bytes) else content.encode())
        for name, content in files.items()
        if FORMATS[form].wants(name)
    ]
    return list(FORMATS[form].parse(wanted, Subject(OWNER, dt.UTC, source)))


def only(kind: type[Kind], items: list[Item]) -> list[Kind]:
    """Return the items of one kind."""
    return [item for item in items if isinstance(item, kind)]


def texts(items: list[Item]) -> list[tuple[str, str]]:
    """Return (entity, text) of each statement."""
    return [(item.entity, item.text) for item in only(FactItem, items)]


def reasons(items: list[Item]) -> list[tuple[str, str]]:
    """Return (place, reason) of each remark."""
    return [(item.place, item.reason) for item in only(Remark, items)]
