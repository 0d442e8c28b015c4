"""How an answer is printed that may be longer than memory, such as every fact of a large store."""

import json
from collections.abc import Iterable
from typing import Any

from engram.cli.invocation.asked import json_line
from engram.cli.terminal.packed_text import PackedText
from engram.cli.terminal.streams import print_answer
from engram.cli.terminal.streams import print_piece


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
