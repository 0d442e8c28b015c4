"""The data of languages: in `patterns/` a folder for each kind, in it a file for each language. Light: hooks come here.

The name of a file is the code of its language. Nothing else lists the languages of a kind, so a new file is read by
whoever reads the others.
"""

import os
from typing import Any

from engram.base.disk.table_files import read_table
from engram.base.disk.table_files import read_tables
from engram.language import PATTERNS

Table = dict[str, Any]

_SUFFIX = ".toml"


def list_languages(kind: str) -> list[str]:
    """Return the codes of the languages of which there is a file of a kind, in order."""
    names = sorted(os.listdir(PATTERNS + kind))  # noqa: PTH208 - hooks are spared pathlib
    return [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]


def find_language(kind: str, code: str) -> Table | None:
    """Return what the file of a kind says for one language; None when there is no such file."""
    try:
        return read_table(f"{PATTERNS}{kind}/{code}{_SUFFIX}")
    except FileNotFoundError:
        return None


def read_languages(kind: str) -> dict[str, Table]:
    """Return what the files of a kind say, by the code of their language, in order."""
    return read_tables(PATTERNS + kind)


def read_kind(name: str) -> Table:
    """Return what a file says that is the same for all languages."""
    return read_table(f"{PATTERNS}{name}{_SUFFIX}")
