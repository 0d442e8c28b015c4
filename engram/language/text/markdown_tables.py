"""Rows of Markdown tables: the names of their columns, and a row read as a statement."""

import re
from functools import cache

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_BAR = re.compile(r"(?<!\\)\|")
_BETWEEN = " | "  # between the names of columns where they stand as one heading


def column_names(head: str) -> str:
    """Return the head of a table, a line between bars, as one heading: its columns' names with bars between them."""
    return _BETWEEN.join(_cells(head))


def are_columns(heading: str) -> bool:
    """Tell whether a heading is the head of a table."""
    return _BETWEEN in heading


def row_statement(row: str, heading: str, first: str) -> str:
    """Return a row as a statement: the cell of the column `first` by itself, the others behind the names of theirs.

    "DuckDB | Anna | -" below "Decision | Owner | Status" is, `first` being "Decision", "DuckDB (Owner: Anna)"; `first`
    being empty, "Decision: DuckDB; Owner: Anna". Cells that say nothing, numbers of rows and cells without a column are
    left out.
    """
    filled = [
        (name, cell)
        for name, cell in zip(heading.split(_BETWEEN), _cells(row), strict=False)
        if any(map(str.isalpha, name)) and not compiled(_nothing()).fullmatch(cell)
    ]
    subject = next((cell for name, cell in filled if first and name == first), "")
    rest = "; ".join(f"{name}: {cell}" for name, cell in filled if not subject or name != first)
    return f"{subject} ({rest})" if subject and rest else subject or rest


def _cells(line: str) -> list[str]:
    bare = line.strip()
    cells = _BAR.split(bare.removeprefix("|").removesuffix("|"))
    return [" ".join(cell.replace("\\|", "|").split()) for cell in cells]


@cache
def _nothing() -> str:
    """Return the expression of a cell that says nothing."""
    return rf"[\s\-–—.?/]*|(?i:{joined('sentences', 'empty_cell')})"
