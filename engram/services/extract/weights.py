"""The weights of a linear model over named features, as a small file: hashes of names and whole numbers, never texts.

`scores = bias + sum(feature * weight)`. A name is known by its CRC-32; names that share one share their weight.
The file is JSON: `keys` (unsigned 32-bit numbers), and for each output `scale`, `bias` and `weights` (signed bytes, one
for each key or for as many of the first; weight = byte * scale), where vectors count also `dense` (signed 16-bit
numbers, weight = number * `dense_scale`). Numbers are little-endian, compressed by zlib, and written as base64: most
weights are small or nothing.
"""

import base64
import json
import sys
import zlib
from array import array
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from operator import itemgetter
from operator import mul
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

FORMAT = 2
_NO_ROW: Final = -1
_SEVERAL: Final = 2  # of fewer, `itemgetter` makes no sequence
_MOST_NAMES: Final = 40_000  # of features whose rows are remembered
_LONGEST_NAME: Final = 24  # characters of such a name


class Weights:
    """A model of one or more outputs, read from its file."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        """Take the parsed file; raise ValueError for another format."""
        if raw["format"] != FORMAT:
            raise ValueError(f"weights of format {raw['format']}, this program reads {FORMAT}")
        keys = {key: row for row, key in enumerate(unpacked("I", raw["keys"]))}
        self._row_of = _RowOf(keys)
        self._outputs = {name: _Output(output) for name, output in raw["outputs"].items()}
        self.facts: dict[str, Any] = raw.get("facts", {})  # thresholds and calibration, by name

    @classmethod
    def load(cls, path: Path) -> "Weights":
        """Read the file."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    @property
    def outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return list(self._outputs)

    def rows(self, features: Mapping[str, float]) -> list[tuple[int, float]]:
        """Return (row, value) of the features that have weights: looked up once, scored for every output."""
        rows = map(self._row_of.__getitem__, features)
        return [(row, value) for row, value in zip(rows, features.values(), strict=True) if row != _NO_ROW]

    def score(self, output: str, rows: Sequence[tuple[int, float]], vector: Sequence[float] = ()) -> float:
        """Return the score of one output, unbounded; a vector counts where the output has dense weights."""
        return self.scores([output], rows, vector)[0]

    def scores(
        self, outputs: Iterable[str], rows: Sequence[tuple[int, float]], vector: Sequence[float] = ()
    ) -> list[float]:
        """Return the scores of several outputs, in order."""
        wanted = [self._outputs[output] for output in outputs]
        apart = {size: _Columns.of(rows, size) for size in {one.size for one in wanted}}
        return [one.score(apart[one.size], vector) for one in wanted]


class _RowOf(dict[str, int]):
    """The row of each feature by its name, -1 for one without weights; remembered, as words come again and again."""

    def __init__(self, keys: Mapping[int, int]) -> None:
        super().__init__()
        self._keys = keys

    def __missing__(self, name: str) -> int:
        row = self._keys.get(zlib.crc32(name.encode()), _NO_ROW)
        if len(name) <= _LONGEST_NAME:  # what is longer hardly comes again, and might be anything
            if len(self) >= _MOST_NAMES:
                self.clear()
            self[name] = row
        return row


class _Columns(NamedTuple):
    """Features as two columns, which are multiplied without a step of Python for each."""

    weights_in: Callable[[Sequence[int]], Sequence[int]]  # picks theirs from the weights of an output
    values: tuple[float, ...]  # as many

    @classmethod
    def of(cls, rows: Sequence[tuple[int, float]], size: int) -> "_Columns":
        """Return those of the features for which outputs with so many weights have one."""
        known = [one for one in rows if one[0] < size]
        if len(known) < _SEVERAL:
            return cls(lambda weights: [weights[place] for place, _ in known], tuple(value for _, value in known))
        places, values = zip(*known, strict=True)
        return cls(itemgetter(*places), values)


class _Output:
    __slots__ = ("_bias", "_dense", "_dense_scale", "_scale", "_weights", "size")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._bias: float = raw["bias"]
        self._scale: float = raw["scale"]
        self._weights = tuple(unpacked("b", raw["weights"]))  # read faster than an array
        self.size = len(self._weights)
        self._dense = unpacked("h", raw.get("dense", ""))
        self._dense_scale: float = raw.get("dense_scale", 0.0)

    def score(self, features: _Columns, vector: Sequence[float]) -> float:
        words = sum(map(mul, features.values, features.weights_in(self._weights))) * self._scale
        if not vector:
            return float(self._bias + words)
        dense = sum(weight * value for weight, value in zip(self._dense, vector, strict=False)) * self._dense_scale
        return float(self._bias + words + dense)


def packed(numbers: Sequence[float], code: str, most: int = 0) -> tuple[str, float]:
    """Return numbers as whole ones of that `array` type, as they stand in the file, and the scale that gives them back.

    The largest becomes `most`, by default what the type can hold; less is less exact and takes less room.
    """
    most = most or (1 << (8 * array(code).itemsize - 1)) - 1
    scale = max((abs(number) for number in numbers), default=0.0) / most or 1.0
    return _text(array(code, [round(number / scale) for number in numbers])), scale


def packed_keys(keys: Sequence[int]) -> str:
    """Return hashes as they stand in the file."""
    return _text(array("I", keys))


def packed_weights(numbers: Sequence[int]) -> str:
    """Return weights that are whole numbers already as they stand in the file."""
    return _text(array("b", numbers))


def _text(values: "array[Any]") -> str:
    if sys.byteorder == "big":
        values.byteswap()
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode()


def unpacked(code: str, text: str) -> "array[Any]":
    """Return the numbers that stand in the file as `text`; none for an empty one."""
    values = array(code, zlib.decompress(base64.b64decode(text)) if text else b"")
    if sys.byteorder == "big":
        values.byteswap()
    return values
