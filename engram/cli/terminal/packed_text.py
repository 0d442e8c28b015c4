"""A long answer that is held until it may be printed: compressed, it takes about a tenth of its memory."""

import codecs
import zlib
from collections import deque
from collections.abc import Iterator

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
