"""Which candidates say what another one before them says already, in nearly the same words."""

from collections.abc import Sequence

from engram.base.text import fingerprint
from engram.language.lexicon import load_lexicon
from engram.model.document import Document
from engram.rules.ranking import is_repeated

_LEAST_WORDS = 8  # of a text; in a shorter one a single word makes the difference
_MOST_OTHER = 0.1  # share of words, of both texts together, that may differ


def find_repeated(documents: Sequence[Document], enough: int) -> set[str]:
    """Return the ids of those that say the same as one before them, up to the place where `enough` others have come.

    The same words in the same place count (`rules.ranking.is_repeated`), and so does long raw text that differs in a
    word or two, unless what differs is a number, a negation or a name of something.
    """
    repeated: set[str] = set()
    places: set[tuple[str, str, str]] = set()
    kept: list[frozenset[str]] = []
    for document in documents:
        if len(kept) >= enough:
            break
        said = fingerprint(document.text)
        words = frozenset(said.split())
        again = is_repeated(document, said, places)
        is_long = document.kind != "fact" and len(words) >= _LEAST_WORDS
        if again or (is_long and any(_says_the_same(words, other) for other in kept)):
            repeated.add(document.id)
        else:
            kept.append(words)
    return repeated


def _says_the_same(words: frozenset[str], other: frozenset[str]) -> bool:
    if abs(len(words) - len(other)) > _MOST_OTHER * (len(words) + len(other)):
        return False
    different = words ^ other
    if len(different) > _MOST_OTHER * len(words | other):
        return False
    return not any(_tells(word) for word in different)


def _tells(word: str) -> bool:
    """Tell whether a word that stands in one text only makes it another statement."""
    return not word.isalpha() or word in load_lexicon().negation
