"""Which texts only say that somebody heard, such as "Ok, got it.", "好的。" and "네, 알겠습니다."; they say no more."""

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_MOST_CHARS = 60  # of such a text


def is_acknowledgement(text: str) -> bool:
    """Tell whether a text consists of nothing else."""
    if len(text) > _MOST_CHARS:
        return False
    words = joined("lines", "acknowledged")
    return compiled(rf"(?i:[\W_]*(?:(?:{words})(?!\w)[\W_]*){{1,4}})").fullmatch(text) is not None
