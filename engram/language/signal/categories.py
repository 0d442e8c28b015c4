"""What a signal becomes as a fact."""

from engram.model.vocabulary import Category

_NAMES = frozenset(category.value for category in Category)


def fact_category(signal_category: str) -> Category:
    """Return the category of the fact that a signal becomes; background when the two lists share no such word."""
    return Category(signal_category) if signal_category in _NAMES else Category.CONTEXT
