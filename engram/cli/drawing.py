"""Tables as a person reads them in a terminal: a header, colours, lines that fit, and a pager for what is longer.

Imported only when a terminal reads: `rich` takes longer to load than the hook path may take in all.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

_TIERS = {"hot": "red", "warm": "yellow", "cold": "blue"}
_FAINT = "dim"


class Column(NamedTuple):
    """One column of a table."""

    title: str
    wraps: bool = False  # long text goes on in the next line; else it is never broken


def draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Show rows below a header on standard output, through a pager when they do not fit on the screen.

    A cell that is the name of a tier has its colour, and the row of what is cold is faint.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    made = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.title, no_wrap=not column.wraps, overflow="fold" if column.wraps else "ellipsis")
    for row in rows:
        made.add_row(*map(_cell, row), style=_FAINT if "cold" in row else None)
    with console.capture() as captured:
        console.print(made)
    shown = captured.get()
    if shown.count("\n") >= console.height:
        click.echo_via_pager(shown, color=True)
    else:
        sys.stdout.write(shown)


def _cell(text: str) -> Text:
    return Text(text, style=_TIERS.get(text, ""))
