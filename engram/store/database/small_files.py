"""What is asked of a small file otherwise than of a large one: planning a question costs more there than its rows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.store.database.sql_files import with_few

SMALL = 12 << 20  # bytes, some thousands of facts: ten take 3 MB, and 6 after every other command
MOST_ROWS = 5_000  # written at one time, some thousand facts with all that belongs to them: then it counts as large
FOR_SMALL = "PRAGMA disable_optimizer; SET threads = 1"  # to share the work out takes longer than to do it
FOR_LARGE = "PRAGMA enable_optimizer; RESET threads"
_FEW = 16  # values that each row is compared with; with more of them rows are joined


class FileSize:
    """Whether an attached file is still small, by its bytes and the rows written to it since."""

    def __init__(self, path: Path) -> None:
        """Take the file, or one that it becomes as large as."""
        self.is_small = is_small(path)
        self._written = 0

    @property
    def planning(self) -> str:
        """The settings of the engine for a file of this size."""
        return FOR_SMALL if self.is_small else FOR_LARGE

    def grows_large(self, rows: int) -> bool:
        """Count rows that are about to be written; tell whether the file counts as large from these on."""
        self._written += rows
        was_small, self.is_small = self.is_small, self.is_small and self._written <= MOST_ROWS
        return was_small and not self.is_small


def is_small(path: Path) -> bool:
    """Tell whether a file is small, as one is that is made now, until more was written than MOST_ROWS."""
    return not path.exists() or path.stat().st_size < SMALL


def planned_fast(sql: str, parameters: Mapping[str, Any] | None) -> str:
    """Return a statement as it takes least to plan, for a small file."""
    few = [name for name, value in (parameters or {}).items() if isinstance(value, list) and len(value) <= _FEW]
    return with_few(sql, frozenset(few)) if few else sql
