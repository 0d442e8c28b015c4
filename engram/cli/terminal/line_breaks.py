"""Lines that fit on a person's screen: broken between words, and going on below the column in which they began.

Imported only where a terminal reads.
"""

import re
import shutil

from rich.cells import cell_len as cells_of
from rich.cells import chop_cells

_FEWEST = 40  # columns: narrower screens break lines by themselves
_COLUMN = re.compile(r"\S {2,}(?=\S)")  # what stands between two columns of a line
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_WORD = re.compile(r" *[^ ]+")
_MARK = re.compile(r"(?:[|*+~-] |\d+[.:] )+")  # the sign of an item
_OWN_COLUMN = 8  # from which a line stands in a column already
_DEEPER = 2  # columns by which a line without one goes on


def fitted(text: str, width: int | None = None) -> str:
    """Return text whose lines have at most `width` columns, by default those of the terminal.

    A word that is longer, such as a path, stays whole; a text without spaces is broken where it must be.
    """
    columns = width or shutil.get_terminal_size().columns
    if columns < _FEWEST:
        return text
    return "\n".join(part for line in text.split("\n") for part in broken(line, columns))


def broken(line: str, width: int, indent: str | None = None) -> list[str]:
    """Return one line as lines of at most `width` columns.

    What goes on stands behind the indent, by default below the column in which the line began.
    """
    if cell_len(line) <= width:
        return [line]
    if indent is None:
        indent = " " * _hanging(line, width)
    lines, current = [], ""
    for word in _words(line, width - len(indent)):
        if cell_len(current + word) <= width or not current.strip():
            current += word
        else:
            lines.append(current)
            current = indent + word.lstrip(" ")
    return [*lines, current]


def _words(line: str, width: int) -> list[str]:
    """Return the words of a line, each with the spaces before it; wide characters are cut into what fits."""
    words: list[str] = []
    for word in _WORD.findall(line.rstrip()):
        too_long = cell_len(word) > width and cell_len(word) > len(word)
        words += chop_cells(word, width) if too_long else [word]
    return words


def cell_len(text: str) -> int:
    """Return the columns that a text takes; colours take none."""
    return cells_of(_COLOUR.sub("", text))


def _hanging(line: str, width: int) -> int:
    """Return the column below which a line goes on: that of its last cell in the left half, else its own."""
    cells = [cell_len(line[: found.end()]) for found in _COLUMN.finditer(line)]
    begun = len(line) - len(line.lstrip(" "))
    mark = _MARK.match(line, begun)
    own = mark.end() if mark else begun + _DEEPER * (begun < _OWN_COLUMN)
    return max([own, *(cell for cell in cells if cell <= width // 2)])
