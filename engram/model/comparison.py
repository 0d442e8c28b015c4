"""What text analysis found out about two statements. No pydantic: the hook path may pass here."""

from typing import NamedTuple


class Comparison(NamedTuple):
    """How a newer statement stands to an older one of the same entity."""

    # same, polarity, preference, number, date, version, cessation, value, attribute, update, contradiction, correction,
    # mention or none
    kind: str
    confidence: float  # 0 to 1: how sure the kind is
    similarity: float  # 0 to 1: shared words over all words
    why: str  # a reason in words, for people


EXCLUDING = frozenset({"polarity", "preference", "number", "date", "version", "cessation", "attribute"})
"""Kinds under which both statements cannot hold. `value` (one word changed) excludes only when the writer corrects."""

CORRECTED = "correction"
"""Kind under which the newer statement takes something back, and perhaps this."""

DISPUTED = frozenset({"update", "contradiction", CORRECTED})
"""Kinds under which both hardly hold, as words around a value (`update`), a model or the newer statement itself say.

For somebody to look at: they open a tension, and give way only to a correction that can mean nothing else.
"""
