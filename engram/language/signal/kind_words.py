"""Of what kind a statement is, by words that say so in any of the languages here: must, never, because, decided.

They are counted, not obeyed: the judge weighs each kind beside all else that it sees of a line.
"""

from functools import cache

from engram.language.matching.near_expressions import NearExpressions
from engram.language.matching.patterns import joined

_DATA = "kinds"
_KINDS = ("must", "never", "cause", "prefer", "decide", "done")


def kinds_said(text: str) -> list[str]:
    """Return the kinds whose words a text holds: must, never, cause, prefer, decide, done."""
    return _expressions().found_in(text)


@cache
def _expressions() -> NearExpressions:
    return NearExpressions({kind: joined(_DATA, kind) for kind in _KINDS}, any_case=True)
