"""What a signal becomes as a fact."""

from engram.model.vocabulary import Category

# Facts have no category for these: an instruction is what somebody wants, an identity is background about them, and a
# commitment says how things stand until it is kept.
_OTHERS = {"instruction": Category.PREFERENCE, "identity": Category.CONTEXT, "commitment": Category.STATUS}


def fact_category(signal_category: str) -> Category:
    """Return the category of the fact that a signal becomes; background when the two lists share no such word."""
    if signal_category in _OTHERS:
        return _OTHERS[signal_category]
    return Category(signal_category) if signal_category in {one.value for one in Category} else Category.CONTEXT
