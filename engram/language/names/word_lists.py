"""The words that finding names needs, read from mention_words.toml when they are first asked for."""

import functools
import re
from typing import Any

from engram.base.table_files import read_table
from engram.language import PATTERNS


@functools.cache
def words(name: str) -> frozenset[str]:
    """Return one list of words."""
    return frozenset(_data()[name])


@functools.cache
def table(name: str) -> dict[str, str]:
    """Return one table of words with their values."""
    return dict(_data()[name])


@functools.cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one expression, compiled."""
    return re.compile(_data()[name]["pattern"])


@functools.cache
def _data() -> dict[str, Any]:
    return read_table(PATTERNS + "mention_words.toml")
