"""The words by which it is seen that a reply used a memory: those that the memory had and the prompt had not. Light.

Words are kept as prints, the beginning of a SHA-256, where text of a memory must not lie about.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from engram.base.text import sha256_hex
from engram.language.terms.terms import terms

MOST_WORDS: Final = 64  # of one memory
_READ_CHARS: Final = 40_000  # of a reply
_PRINT_CHARS: Final = 8  # hexadecimal digits of a word's print
_ENOUGH: Final = 3  # words shared, from which use is sure however long a memory is
_PART: Final = 3  # one in so many of its own words are to come back in the reply


def own_word_prints(memory: str, prompt: str) -> list[str]:
    """Return the prints of what a memory says beyond the prompt, each once; at most 64."""
    known = set(terms(prompt))
    return [_print(word) for word in dict.fromkeys(terms(memory)) if word not in known][:MOST_WORDS]


def word_prints(reply: str) -> set[str]:
    """Return the prints of a reply's words."""
    return {_print(word) for word in terms(reply[:_READ_CHARS])}


def is_used(own: Iterable[str], reply: AbstractSet[str]) -> bool:
    """Tell whether a reply used a memory: it has a third of its own words, or three of them.

    An estimate: a reply may use a memory in other words, and may have had these words from elsewhere.
    """
    words = set(own)
    return bool(words) and len(words & reply) >= min(_ENOUGH, -(-len(words) // _PART))


def _print(word: str) -> str:
    return sha256_hex(word)[:_PRINT_CHARS]
