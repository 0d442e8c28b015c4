"""SQL lives in files: this reads them."""

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_PART = re.compile(r"^-- (?:when: (\w+)|always)\n", re.MULTILINE)
_ONE_OF = re.compile(r'\b(WHERE |AND |OR )(\(?)([\w."]+) IN \(SELECT unnest\(\$(\w+)::(\w+)\[\]\)\)')


@cache
def schema() -> str:
    """Return the statements that make an empty database."""
    return (resources.files("engram.store.database") / "sql" / "schema.sql").read_text(encoding="utf-8")


@cache
def queries() -> dict[str, str]:
    """Return the named queries: name -> statement."""
    return _named("queries.sql") | _named("overview.sql") | _named("start.sql")


@cache
def query_with(name: str, parameters: frozenset[str]) -> str:
    """Return a named query without the parts below `-- when: PARAMETER` whose parameter is not among these."""
    first, *parts = _PART.split(queries()[name])
    return first + "".join(
        part for when, part in zip(parts[::2], parts[1::2], strict=True) if when is None or when in parameters
    )


@cache
def with_few(sql: str, few: frozenset[str]) -> str:
    """Return a statement in which what may be one of a few is looked for in a list, and not joined with it.

    `few` are the parameters that hold few values. A join costs half a millisecond more to plan, and less with many.
    """

    def listed(found: re.Match[str]) -> str:
        before, bracket, column, parameter, kind = found.groups()
        if parameter not in few:
            return found[0]
        return f"{before}{bracket}list_contains(${parameter}::{kind}[], {column})"

    return _ONE_OF.sub(listed, sql)


@cache
def window_views() -> dict[str, str]:
    """Return the statements that make the views of the window: name -> statement."""
    return _named("window.sql")


def _named(file: str) -> dict[str, str]:
    text = (resources.files("engram.store.database") / "sql" / file).read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))
