"""Whether a text may name a day at all: a quick look before the rules of dates are loaded. Light: hooks pass here."""

from engram.language.matching.patterns import expression

_KIND = "hints"
_FIRST_EASTERN = "\u1100"  # from here on scripts put no spaces between words, or put them as they like


def may_name_days(text: str) -> bool:
    """Tell whether a text holds a number or a word that dates are made of; many that do name no day all the same."""
    low = text.lower()
    if expression(_KIND, "days").search(low):
        return True
    return not low.isascii() and expression(_KIND, "days_beyond_ascii").search(low) is not None


def is_of_days(word: str) -> bool:
    """Tell whether a word may be one that dates are made of; what has no spaces between its words, all of it."""
    if not any(ch >= _FIRST_EASTERN for ch in word):
        return may_name_days(word)
    rest = expression(_KIND, "days_beyond_ascii").sub(" ", word)
    return not any(map(str.isalpha, rest))
