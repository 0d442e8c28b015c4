"""Whether one statement says that a thing works, and the other one that the same thing does not."""

from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import Tokens
from engram.language.compare.reading.tokens import tokenize

_CONFIDENCE = 0.75


class _Status(NamedTuple):
    subject: frozenset[str]  # content words of what it is said of
    works: bool
    state: str  # the words that say so
    besides: frozenset[str]  # content words of what else is said, but for a reason


def find_status_change(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    """Return kind, confidence and reason when a thing works by one statement and does not by the other, else None."""
    newer, older = _read(new.folded), _read(old.folded)
    if newer is None or older is None or newer.works == older.works:
        return None
    if newer.subject != older.subject or (newer.besides and older.besides):
        return None  # it may work here, and not there
    return "polarity", _CONFIDENCE, f"{older.state} became {newer.state}"


@lru_cache(maxsize=8192)  # a statement is compared with many
def _read(folded: str) -> _Status | None:
    """Read what a statement says of how something is; None when it says it of nothing, or says something else."""
    for status in load_lexicon().status:
        match = status.search(folded)
        if match is None:
            continue
        subject = tokenize(fold(match["subject"])).content - load_lexicon().stop
        rest = match["rest"] or ""
        besides = frozenset[str]() if match["because"] else tokenize(rest).content
        if not subject:
            return None
        works = (match["works"] is not None) != bool(match["not"])
        return _Status(subject, works, (match["works"] or match["fails"]).strip(), besides)
    return None
