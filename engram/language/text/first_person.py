"""Who speaks of themselves: the singular first person of every language. Light: hooks use it."""

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled


def speaks_of_self(text: str) -> bool:
    """Tell whether whoever says a text speaks of themselves in it."""
    return compiled(joined("hints", "self")).search(text) is not None
