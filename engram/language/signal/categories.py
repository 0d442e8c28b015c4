"""What a signal becomes as a fact."""

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from engram.model.vocabulary import Category

_NAMES = frozenset(category.value for category in Category)


def fact_category(signal_category: str) -> Category:
    """Return the category of the fact that a signal becomes; background when the two lists share no such word."""
    return Category(signal_category) if signal_category in _NAMES else Category.CONTEXT


def remembered_category(told: str) -> Category:
    """Return the category of what stands behind "remember that": an order only when it is one by itself."""
    found = detect(told)
    return fact_category(found.spans[0].category) if found.signal == HIGH and found.spans else Category.STATUS
