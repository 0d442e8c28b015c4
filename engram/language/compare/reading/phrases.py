"""Phrases that are looked for in every statement, as one expression that is tried only where it can match."""

from collections.abc import Iterable

from engram.language.matching.kept_expressions import kept
from engram.language.matching.prefilter import required_words


class Phrases:
    """Phrases of all languages; of a text without a word that every match holds nothing is tried."""

    __slots__ = ("_expression", "_near")

    def __init__(self, sources: Iterable[str]) -> None:
        """Join the expressions, which are for folded text, and read the words off them."""
        source = "|".join(sources)
        self._expression = kept(source)
        self._near = tuple(required_words(source))

    def found_in(self, folded: str) -> bool:
        """Tell whether one of the phrases stands in a text."""
        return self._is_near(folded) and self._expression.search(folded) is not None

    def blank(self, folded: str) -> tuple[str, int]:
        """Return a text with a space in the place of each of the phrases, and how many there were."""
        return self._expression.subn(" ", folded) if self._is_near(folded) else (folded, 0)

    def _is_near(self, folded: str) -> bool:
        for word in self._near:  # a plain loop, quicker than any()
            if word in folded:
                return True
        return not self._near
