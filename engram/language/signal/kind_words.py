"""Of what kind a statement is, by words that say so in any of the languages here: must, never, because, decided.

They are counted, not obeyed: the judge weighs each kind beside all else that it sees of a line.
"""

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_DATA = "kinds"
_KINDS = ("must", "never", "cause", "prefer", "decide", "done")


def kinds_said(text: str) -> list[str]:
    """Return the kinds whose words a text holds: must, never, cause, prefer, decide, done."""
    return [kind for kind in _KINDS if compiled(f"(?i:{joined(_DATA, kind)})").search(text)]
