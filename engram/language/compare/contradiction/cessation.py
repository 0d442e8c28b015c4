"""Whether a newer statement says that what an older one says has ended: no longer, stopped, replaced, left."""

from functools import lru_cache

from engram.language.compare.contradiction.exclusive_values import is_predicate
from engram.language.compare.reading.alignment import Difference
from engram.language.compare.reading.alignment import align
from engram.language.compare.reading.alignment import common_prefix
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.tokens import Tokens
from engram.language.compare.reading.tokens import tokenize

_MOST_LEFT_OVER = 2  # content words of the older statement that an ending need not mention


def find_ending(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    """Return kind, confidence and reason when the newer statement says that what the older one says has ended."""
    if old.ceased or old.negated or (old.content - new.content) & load_lexicon().relatives:
        return None
    if new.ceased and align(new, old) is not None:
        return "cessation", 0.95, "the newer statement says that it no longer holds"
    if new.ceased and not new.negated and _is_about(new.content, old.content, _shared_subject(new, old)):
        return "cessation", 0.75, "the newer statement says that it no longer holds"
    for ended, came, gone, arrived in _endings(new.folded):
        if (_is_about(gone, old.content) or _is_predicate(gone, old)) and not (arrived and arrived <= old.content):
            why = f"{ended} became {came}" if came else f"{ended} has ended"
            return "cessation", 0.85, why
    return None


def _is_predicate(gone: frozenset[str], old: Tokens) -> bool:
    """Tell whether the older statement says that something is the ended thing: "the provider is Stripe"."""
    last = [token for token in old.items[-len(gone) :] if token.key in gone]
    return len(last) == len(gone) and is_predicate(Difference(tuple(last), tuple(last)), old, old)


@lru_cache(maxsize=1024)  # asked again for each statement that the text is compared with
def _endings(folded: str) -> tuple[tuple[str, str, frozenset[str], frozenset[str]], ...]:
    """Return what a statement says to have ended and what came instead: as text, and as content words."""
    matches = [match for sentence in load_lexicon().replaced if (match := sentence.search(folded))]
    pairs = [(match["old"].strip(), (match.groupdict().get("new") or "").strip()) for match in matches]
    return tuple(
        (ended, came, tokenize(ended).content, tokenize(came).content)
        for ended, came in pairs
        if tokenize(ended).content and load_lexicon().subjects.isdisjoint(ended.split())  # "instead of setting it"
    )


def _shared_subject(new: Tokens, old: Tokens) -> frozenset[str]:
    return frozenset(token.key for token in new.items[: common_prefix(new.marks, old.marks)])


def _is_about(ended: frozenset[str], held: frozenset[str], subject: frozenset[str] = frozenset()) -> bool:
    """Tell whether the older statement says hardly more than that the ended thing is so.

    When not every ended word stands in the older one, their common subject alone is not enough: that Anna gave up
    smoking says nothing of what else she does.
    """
    usage = load_lexicon().usage
    left = held - ended - usage
    used = not left or bool(held & usage)  # "knows Redis well" does not end when Redis is not used any more
    told = ended - usage if ended <= held else ended - usage - subject
    return bool(told) and ended - usage <= held and used and len(left) <= _MOST_LEFT_OVER
