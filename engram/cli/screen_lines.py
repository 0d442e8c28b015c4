"""Text as a person's terminal shows it best: whole words in a line, and the home folder as `~`."""

import shutil
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO


def screen_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal that reads a stream; None where no terminal does."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def fit_lines(lines: Iterable[str], width: int | None, *, indent: str) -> list[str]:
    """Return lines that fit a screen: what is longer goes on below, behind the indent. Without a width they stay."""
    if width is None:
        return [*lines]
    return [part for line in lines for part in _fit(line, width, indent)]


def from_home(path: str | Path) -> str:
    """Return a path with `~` in the place of the home folder, as a shell reads it."""
    try:
        return f"~/{Path(path).relative_to(Path.home())}"
    except ValueError:
        return str(path)


def _fit(line: str, width: int, indent: str) -> list[str]:
    if len(line) <= width:
        return [line]
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
