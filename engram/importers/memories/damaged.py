"""A list of memories in a document that is no JSON as a whole: what can be read of it, one element after the other."""

import codecs
import json
import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from engram.base.json_values import TooDeepError
from engram.base.json_values import end_of_value
from engram.base.json_values import refuse_depth
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import unreadable
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile

Row = tuple[int, Any] | Remark
"""An element with its number, from 1, or what is said of one that cannot be read."""
_BETWEEN = re.compile(r"[\s,]*")  # elements
_NO_TEXT = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8, as they are decoded
_CUT_OFF = "it was cut off here: the rest of the file cannot be read"


def readable_rows(file: SourceFile, lists: Sequence[str], kind: str, problem: Unreadable) -> list[Row]:
    """Return (number, value) for each element that can be read, and a remark in the place of each that cannot.

    The list is the document, or stands in it under one of the names. Where nothing can be read, the problem that the
    document has is the only remark.
    """
    text = file.data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    begin = re.search(rf'^\s*\[|"(?:{"|".join(lists)})"\s*:\s*\[', text)
    found = list(_rows(text, begin.end(), file.name, kind)) if begin else []
    return found if any(not isinstance(one, Remark) for one in found) else [Remark(file.name, "", str(problem))]


def _rows(text: str, at: int, name: str, kind: str) -> Iterator[Row]:
    number = 0
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        number += 1
        if text[at : at + 1] == "]":
            return
        try:
            value, end = _value(text, at)
        except Unreadable as problem:
            after = end_of_value(text, at)
            if after is None:
                yield Remark(name, f"{kind} {number}", _CUT_OFF)
                return
            yield Remark(name, f"{kind} {number}", str(problem))
            at = max(after, at + 1)
        else:
            yield number, value
            at = end


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
        refuse_depth(value)
    except RecursionError as problem:
        raise unreadable(TooDeepError()) from problem
    except ValueError as problem:
        raise unreadable(problem) from problem
    if _NO_TEXT.search(text, at, end):
        raise Unreadable("it is not UTF-8 text")
    return value, end
