"""What all questions of one script have in common, taken off a question before it is compared.

A model of the e5 family puts questions of one script close together whatever they ask, and further from texts of other
scripts. The mean of a few dozen questions about anything is that common part. Without it, what is left is what the
question is about: measured on dialogue, 5 points more recall, and a memory in another language than the question comes
first in 88 of 100 cases instead of 31. The texts that are searched stay as they are, so nothing is indexed anew.
"""

import functools
import math
from collections.abc import Sequence
from pathlib import Path

from engram.base.disk.table_files import read_table
from engram.language.matching.language_id import language_of

_NOTHING = 1e-6  # length of a rest that is rounding only
CENTRING_VERSION = 1  # of the background questions; the means that are kept belong to one version

_SCRIPTS = {"ru": "cyrillic", "uk": "cyrillic", "zh": "han", "ko": "hangul"} | dict.fromkeys(
    ("en", "es", "fr", "de", "it", "pt"), "latin"
)


def script_of(question: str) -> str:
    """Return the script that decides which background a question has; "" when there is none for it."""
    return _SCRIPTS.get(language_of(question), "")


@functools.cache
def background(script: str) -> tuple[str, ...]:
    """Return the background questions of a script."""
    table = read_table(Path(__file__).with_name("background.toml"))
    return tuple(table["questions"][script])


def mean(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of vectors of one length."""
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def centred(vector: Sequence[float], centre: Sequence[float]) -> list[float]:
    """Return the vector without its common part, at length 1; the vector itself when nothing is left."""
    rest = [one - common for one, common in zip(vector, centre, strict=True)]
    return unit(rest) if math.hypot(*rest) > _NOTHING else list(vector)


def unit(vector: Sequence[float]) -> list[float]:
    """Return the vector at length 1; zeros stay zeros."""
    length = math.hypot(*vector)
    return [number / length for number in vector] if length > 0 else list(vector)
