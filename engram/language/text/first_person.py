"""Who speaks of themselves: the singular first person of every language. Light: hooks use it."""

from engram.language.matching.patterns import expression


def speaks_of_self(text: str) -> bool:
    """Tell whether whoever says a text speaks of themselves in it."""
    return expression("hints", "self").search(text) is not None
