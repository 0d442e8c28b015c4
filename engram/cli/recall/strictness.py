"""What `--strict` refuses: an answer that was given on a poor footing. Light: recall may go to the warm process."""

from engram.errors import DegradedIndexError
from engram.errors import NothingKnownError

_NOTHING_KNOWN = "nothing_known"  # services.recall.query, which is not light


def refuse_if_strict(answer: str, degraded: list[str], *, impaired: bool, strict: bool) -> None:
    """With --strict, raise DegradedIndexError or NothingKnownError for an answer that was given on a poor footing."""
    if strict and impaired:
        raise DegradedIndexError("; ".join(degraded))
    if strict and answer == _NOTHING_KNOWN:
        raise NothingKnownError
