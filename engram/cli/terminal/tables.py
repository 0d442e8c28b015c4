"""Tables as a person reads them in a terminal: a header, colours, lines that fit, and a pager for what is longer.

Imported only when a terminal reads: `rich` takes longer to load than the hook path may take in all.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_TIERS = {"hot": "red", "warm": "yellow", "cold": "blue"}
_FAINT = "dim"
_NARROW = 40  # columns in which nobody likes to read a sentence
_GAP = 2  # columns between two cells


class Column(NamedTuple):
    """One column of a table."""

    title: str
    wraps: bool = False  # long text goes on in the next line; else it is never broken


def draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Show rows below a header on standard output, through a pager when they do not fit on the screen.

    A cell that is the name of a tier has its colour, and the row of what is cold is faint. Where the text that wraps
    would be left with a narrow column, it stands below the other cells of its row.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        if _room_for_text(columns, rows, console.width) < _NARROW:
            _draw_stacked(console, columns, rows)
        else:
            console.print(_table(columns, rows))
    shown = "\n".join(line.rstrip(" ") for line in captured.get().split("\n"))
    if shown.count("\n") >= console.height:
        click.echo_via_pager(shown, color=True)
    else:
        sys.stdout.write(shown)


def _table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Table:
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.title, no_wrap=not column.wraps, overflow="fold" if column.wraps else "ellipsis")
    for row in rows:
        made.add_row(*map(_cell, row), style=_style(row))
    return made


def _room_for_text(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> int:
    """Return how many columns of the screen are left to the last cell of a row, if that is the one that wraps."""
    *others, last = columns
    if not last.wraps or any(column.wraps for column in others):
        return width
    widths = [max(cell_len(row[place]) for row in [_titles(columns), *rows]) for place in range(len(others))]
    left = width - sum(widths) - _GAP * len(others)
    return width if max(cell_len(row[-1]) for row in rows) <= left else left


def _draw_stacked(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print each row as a line of its short cells with its text below."""
    *others, last = _titles(columns)
    short = [*(row[:-1] for row in rows), others]
    widths = [max(cell_len(row[place]) for row in short) for place in range(len(others))]
    console.print(_line(others, widths, "bold"), Text(f"  {last}", "bold"), sep="\n")
    for row in rows:
        console.print(_line(row[:-1], widths, _style(row)), Padding(Text(row[-1], _style(row) or ""), (0, 0, 0, 2)))


def _line(cells: Sequence[str], widths: Sequence[int], style: str | None) -> Text:
    made = Text(style=style or "", no_wrap=True)
    for cell, width in zip(cells, widths, strict=True):
        made.append_text(_cell(cell)).append(" " * (width - cell_len(cell) + _GAP))
    return made


def _titles(columns: Sequence[Column]) -> list[str]:
    return [column.title for column in columns]


def _style(row: Sequence[str]) -> str | None:
    return _FAINT if "cold" in row else None


def _cell(text: str) -> Text:
    return Text(text, style=_TIERS.get(text, ""))
