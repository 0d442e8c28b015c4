"""Whether a text may name a day at all: a quick look before the rules of dates are loaded. Light: hooks pass here."""

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_KIND = "hints"


def may_name_days(text: str) -> bool:
    """Tell whether a text holds a number or a word that dates are made of; many that do name no day all the same."""
    low = text.lower()
    if compiled(joined(_KIND, "days")).search(low):
        return True
    return not low.isascii() and compiled(joined(_KIND, "days_beyond_ascii")).search(low) is not None
