"""What of an answer a person's screen has room for: whole hits, the best first, and how many more there are.

Light: a question that a warm process answers goes through here.
"""

import re
import shutil
import unicodedata
from collections.abc import Sequence
from typing import Final

_PROMPT_ROWS: Final = 2  # of the command above the answer and the prompt below it
_HIT: Final = re.compile(r"(\d+)\. ")  # begins a hit; a line of its text begins with a bar
_WIDE: Final = frozenset("WF")  # signs that take two columns


def fit_screen(answer: str) -> str:
    """Return an answer as far as the terminal has room: at least its first hit, and all that is no hit."""
    columns, rows = shutil.get_terminal_size()
    return fit(answer, rows - _PROMPT_ROWS, columns)


def fit(answer: str, rows: int, columns: int) -> str:
    """Return an answer with the hits that fit into so many rows, and a line that counts the others."""
    head, hits, rest = _parts(answer.splitlines())
    room = rows - _rows_of([*head, *rest], columns)
    if sum(_rows_of(hit, columns) for hit in hits) <= room:
        return answer
    room -= 1  # for the line that counts
    kept: list[str] = []
    shown = 0
    for hit in hits:
        room -= _rows_of(hit, columns)
        if shown and room < 0:
            break
        kept += hit
        shown += 1
    if shown == len(hits):
        return answer
    more = f"{len(hits) - shown} more: -k {len(hits)} shows them all, --detail ID the whole text of one"
    return "\n".join([*head, *kept, *rest[:1], more, *rest[1:]])


def _parts(lines: Sequence[str]) -> tuple[list[str], list[list[str]], list[str]]:
    """Return what stands before the hits, each hit, and what stands behind them from the closing line on."""
    head: list[str] = []
    hits: list[list[str]] = []
    for place, line in enumerate(lines):
        found = _HIT.match(line)
        if found and int(found[1]) == len(hits) + 1:
            hits.append([line])
        elif not hits:
            head.append(line)
        elif line[:1] in {"|", " "}:
            hits[-1].append(line)
        else:
            return head, hits, list(lines[place:])
    return head, hits, []


def _rows_of(lines: Sequence[str], columns: int) -> int:
    return sum(max(1, -(-_width(line) // max(1, columns))) for line in lines)


def _width(line: str) -> int:
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(ch) in _WIDE else 1 for ch in line)
