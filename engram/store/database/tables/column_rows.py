"""Many rows of a table as columns, which the engine takes in at a fifth of what their JSON costs it. Pure."""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

if TYPE_CHECKING:
    import numpy as np

MANY: Final = 1000  # rows from which it pays to load what makes columns
GIVEN: Final = "given_rows"  # the name under which a statement finds them
_AS_WRITTEN: Final = frozenset({"VARCHAR", "TIMESTAMP"})  # kinds of which a row holds text already


def as_columns(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> "dict[str, np.ndarray[Any, Any]]":
    """Return a column of text for each kind by name: lists as JSON; a column that a row does not tell is None."""
    import numpy as np  # noqa: PLC0415 - 100 ms: only who writes many rows pays for it

    columns = {}
    for name, kind in kinds.items():
        column = np.empty(len(rows), dtype=object)
        told = [row.get(name) for row in rows]
        column[:] = told if kind in _AS_WRITTEN else [*map(_list_text if kind.endswith("[]") else _text, told)]
        columns[name] = column
    return columns


def read_column(name: str, kind: str) -> str:
    """Return the expression that reads a column of `as_columns` as the table has it."""
    if kind.endswith("[]"):
        return f'from_json("{name}", \'{json.dumps([kind.removesuffix("[]")])}\') AS "{name}"'
    return f'"{name}"::{kind} AS "{name}"'


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _list_text(value: Sequence[Any] | None) -> str | None:
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False) if value else "[]"
