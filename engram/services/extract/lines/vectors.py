"""Which texts of a line have vectors that the judge looks at, and how they are put together."""

import base64
import struct
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.services.extract.lines.line import Line
from engram.services.extract.lines.line_features import READ_CHARS

_HEADINGS: Final = 3  # innermost, as one text


def texts_to_embed(line: Line) -> list[str]:
    """Return the texts whose vectors make a line's: itself, and the headings above it when there are any."""
    headings = _headings(line)
    return [line.text[:READ_CHARS], *([headings] if headings else [])]


def line_vector(line: Line, vectors: Mapping[str, Sequence[float]]) -> list[float]:
    """Return a line's vector, of twice the model's length, or [] when its text has none; no headings are zeros."""
    own = vectors.get(line.text[:READ_CHARS])
    if own is None:
        return []
    above = vectors.get(_headings(line))
    return [*own, *(above if above is not None else [0.0] * len(own))]


def pack_vectors(vectors: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """Return vectors by text as they go to a child: half-precision numbers in base64."""
    return {
        text: base64.b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode() for text, vector in vectors.items()
    }


def unpack_vectors(packed: Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    """Return what `pack_vectors` packed."""
    raw = {text: base64.b64decode(data) for text, data in packed.items()}
    return {text: struct.unpack(f"<{len(data) // 2}e", data) for text, data in raw.items()}


def _headings(line: Line) -> str:
    return " / ".join(line.headings[-_HEADINGS:])
