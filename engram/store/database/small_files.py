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


def is_small(path: Path) -> bool:
    """Tell whether a file is small, as one is that is made now, until more was written than MOST_ROWS."""
    return not path.exists() or path.stat().st_size < SMALL


def planned_fast(sql: str, parameters: Mapping[str, Any] | None) -> str:
    """Return a statement as it takes least to plan, for a small file."""
    few = [name for name, value in (parameters or {}).items() if isinstance(value, list) and len(value) <= _FEW]
    return with_few(sql, frozenset(few)) if few else sql
