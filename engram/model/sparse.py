"""A text as numbers: the weighted terms by which the lexical leg compares."""

from typing import NamedTuple


class SparseText(NamedTuple):
    """A text as weighted terms: parallel tuples."""

    indices: tuple[int, ...]
    values: tuple[float, ...]
