"""JSON that others wrote: read without ever going deeper than anything that means something. Light.

A text of a hundred thousand brackets is small and valid. What reads it goes down once for each of them, and so does
whatever looks at the value afterwards, until the process has no room left.
"""

import json
import re
from collections.abc import Callable
from typing import Any
from typing import Final

MOST_DEPTH: Final = 100  # of lists and objects in one another
_SIGNS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)  # a text as a whole, else what divides


class TooDeepError(ValueError):
    """It is nested too deeply."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("it is nested too deeply")


def load_json(data: str | bytes, *, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of a JSON text; raise ValueError for what is none, TooDeepError beyond `MOST_DEPTH`."""
    try:
        value = json.loads(data, parse_constant=parse_constant)
    except RecursionError:
        raise TooDeepError from None
    if _brackets(data) > MOST_DEPTH:
        refuse_depth(value)
    return value


def end_of_value(text: str, start: int) -> int | None:
    """Return where the value that begins there ends, by its brackets and quotes alone; None when the text ends before.

    For what is no JSON: what stands behind it may be read.
    """
    depth = 0
    for found in _SIGNS.finditer(text, start):
        sign = found[0]
        if sign in "[{":
            depth += 1
        elif sign in "]},":
            depth -= sign != ","
            if depth < 0 or (not depth and sign == ","):
                return found.start()
            if not depth:
                return found.end()
        elif len(sign) == 1:  # a quote that nothing closes
            return None
    return None


def _brackets(data: str | bytes) -> int:
    """Return how deep a text can be at most: how many brackets it opens, those in its strings included."""
    return data.count("[") + data.count("{") if isinstance(data, str) else data.count(b"[") + data.count(b"{")


def refuse_depth(value: Any) -> None:
    """Raise TooDeepError for a value that is nested deeper than `MOST_DEPTH`."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        lists = [one for one in level if isinstance(one, list)]
        objects = [one.values() for one in level if isinstance(one, dict)]
        level = [inner for held in (*lists, *objects) for inner in held if isinstance(inner, (list, dict))]
        if not lists and not objects:
            return
    raise TooDeepError
