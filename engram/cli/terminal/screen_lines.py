"""Text as a person's terminal shows it best: whole words in a line, and the home folder as `~`."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from typing import TextIO

from engram.cli.terminal.streams import line_breaks

NOT_CONFIRMED: Final = "not confirmed"  # beside what nobody vouches for


def screen_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal that reads a stream; None where no terminal does."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def fit_lines(lines: Iterable[str], width: int | None, *, indent: str) -> list[str]:
    """Return lines that fit a screen: what is longer goes on below, behind the indent. Without a width they stay."""
    if width is None:
        return [*lines]
    return [part for line in lines for part in line_breaks().broken(line, width, indent)]


def from_home(path: str | Path) -> str:
    """Return a path with `~` in the place of the home folder, as a shell reads it."""
    try:
        return f"~/{Path(path).relative_to(Path.home())}"
    except ValueError:
        return str(path)
