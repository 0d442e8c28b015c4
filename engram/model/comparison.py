"""What text analysis found out about two statements. No pydantic: the hook path may pass here."""

from typing import NamedTuple


class Comparison(NamedTuple):
    """How a newer statement stands to an older one of the same entity."""

    kind: str  # same, polarity, preference, number, date, version, cessation, value, attribute, none
    confidence: float  # 0 to 1: how sure the kind is
    similarity: float  # 0 to 1: shared words over all words
    why: str  # a reason in words, for people


EXCLUDING = frozenset({"polarity", "preference", "number", "date", "version", "cessation", "attribute"})
"""Kinds under which both statements cannot hold. `value` (one word changed) excludes only when the writer corrects."""
