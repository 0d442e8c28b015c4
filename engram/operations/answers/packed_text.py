"""A long answer that is held until it may be printed: compressed, it takes about a tenth of its memory."""

import codecs
import zlib
from collections import deque
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

_FASTEST = 1  # level of compression


class PackedText:
    """Text that is added in pieces and read once, from the beginning, in others."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._packing = zlib.compressobj(_FASTEST)
        self._packed: deque[bytes] = deque()

    def add(self, text: str) -> None:
        """Go on with a text, which UTF-8 can hold."""
        if packed := self._packing.compress(text.encode()):
            self._packed.append(packed)

    def pieces(self) -> Iterator[str]:
        """Yield what was added, and hold it no longer; nothing is added after that."""
        self._packed.append(self._packing.flush())
        unpacking, decoding = zlib.decompressobj(), codecs.getincrementaldecoder("utf-8")()
        while self._packed:
            if text := decoding.decode(unpacking.decompress(self._packed.popleft())):
                yield text

    def lines(self) -> Iterator[str]:
        """Yield the same, each line that was added without its line feed; the last one ends in one, too."""
        begun = ""
        for piece in self.pieces():
            *whole, begun = (begun + piece).split("\n")
            yield from whole


def json_pieces(value: Any, written: Callable[[Any], str], marks: tuple[str, str] = (", ", ": ")) -> Iterator[str]:
    """Yield a value as JSON, of which some rows are made one after the other: what can be iterated and is no list.

    `written` writes what has no such rows; `marks` stand between two values, and behind a key.
    """
    between = ""
    if isinstance(value, Mapping):
        yield "{"
        for key, one in value.items():
            yield f"{between}{written(key)}{marks[1]}"
            yield from json_pieces(one, written, marks)
            between = marks[0]
        yield "}"
    elif has_rows(value):
        yield "["
        for one in value:
            yield f"{between}{written(one)}"
            between = marks[0]
        yield "]"
    else:
        yield written(value)


def has_rows(value: Any) -> bool:
    """Tell whether something consists of rows that are made one after the other."""
    return isinstance(value, Iterable) and not isinstance(value, list | tuple | str | Mapping)
