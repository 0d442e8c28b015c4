"""How counts and lists are written for people."""

from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: "1 fact", "2 facts"; `many` is the plural where it is not `one` with an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def listed_words(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "extraction, synthesis and review"; "nothing" for none."""
    *first, last = words or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last
