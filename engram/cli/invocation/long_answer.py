"""How an answer is printed that may be longer than memory, such as every fact of a large store."""

import json
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.asked import json_line
from engram.cli.terminal.streams import print_answer
from engram.cli.terminal.streams import print_piece
from engram.cli.terminal.streams import without_orders
from engram.operations.answers.packed_text import PackedText
from engram.operations.answers.packed_text import json_pieces


def emit_values(name: str, values: Iterable[Any]) -> None:
    """Print `{name: [values]}` as JSON, as `Invocation.emit` does, of values that are read one after the other.

    Nothing is printed before the last one was read: the store is held until then, and whoever reads the answer may
    take their time. What fails halfway is no half of an answer.
    """
    held, between = PackedText(), ""
    for one in values:
        held.add(f"{between}{json_line(one)}")
        between = ", "
    print_piece(f"{{{json.dumps(name)}: [")
    for piece in held.pieces():
        print_piece(piece)
    print_answer("]}")


def packed_body(body: Mapping[str, Any]) -> PackedText:
    """Return a body as JSON, as `Invocation.emit` prints it, of which some rows are made one after the other.

    They are what can be iterated and is no list. It is packed while the store is held, and printed afterwards.
    """
    held = PackedText()
    for piece in json_pieces(body, json_line):
        held.add(piece)
    return held


def emit_packed(held: PackedText) -> None:
    """Print a text that is whole."""
    for piece in held.pieces():
        print_piece(piece)
    print_answer("")


def emit_rows(asked: Invocation, rows: Iterable[Sequence[str]], none: str) -> None:
    """Print rows as left-aligned columns for a program or a file, as `Invocation.emit` prints them of `table`.

    `none` is said where there are none. When it is printed, and what becomes of a failure: see `emit_values`.
    """
    held, widths = PackedText(), list[int]()
    for row in rows:
        held.add(f"{json.dumps(row)}\n")
        widths = [max(pair) for pair in zip(map(len, row), widths or [0] * len(row), strict=True)]
    asked.clear_progress()
    if not widths:
        print_answer(none)
        return
    between = ""
    for line in held.lines():
        cells = (cell.ljust(width) for cell, width in zip(json.loads(line), widths, strict=True))
        words = "  ".join(cells).rstrip()
        print_piece(f"{between}{without_orders(words, styled=False)}")
        between = "\n"
    print_answer("")
