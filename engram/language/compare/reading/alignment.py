"""How the tokens of two statements stand beside each other: equal but for a subject left out, or for one place."""

from collections.abc import Sequence
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.tokens import WORD
from engram.language.compare.reading.tokens import Token
from engram.language.compare.reading.tokens import Tokens

_LONGEST_SUBJECT = 2  # words of a name that one statement may leave out


class Difference(NamedTuple):
    """Where two statements differ: one place, or the same change in several."""

    new: tuple[Token, ...]
    old: tuple[Token, ...]


def align(new: Tokens, old: Tokens) -> list[tuple[Token, Token]] | None:
    """Return the tokens in pairs when the skeletons are equal, but for a name at the beginning that one leaves out."""
    a, b = new.items, old.items
    if len(a) == len(b):
        return list(zip(a, b, strict=True)) if a and new.keys == old.keys else None
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    extra = len(longer) - len(shorter)
    if not shorter or extra > _LONGEST_SUBJECT or any(token.kind != WORD for token in longer[:extra]):
        return None
    if len(shorter) <= extra or not _leaves_subject_out(shorter, new if shorter is a else old):
        return None
    if not is_name(longer[:extra]):
        return None
    a, b = a[len(a) - len(shorter) :], b[len(b) - len(shorter) :]
    if [token.key for token in a] != [token.key for token in b]:
        return None
    return list(zip(a, b, strict=True))


def find_difference(new: Tokens, old: Tokens) -> Difference | None:
    """Return the one place where the tokens differ, what stands before and behind being equal; None when equal."""
    a, b = new.marks, old.marks
    if len(a) == len(b) and len({pair for pair in zip(a, b, strict=True) if pair[0] != pair[1]}) == 1:
        one = min((x, y) for x, y in zip(new.items, old.items, strict=True) if (x.key, x.value) != (y.key, y.value))
        return Difference((one[0],), (one[1],))
    head = common_prefix(a, b)
    tail = common_prefix(a[: head - len(a) - 1 : -1], b[: head - len(b) - 1 : -1])
    left, right = new.items[head : len(a) - tail], old.items[head : len(b) - tail]
    return Difference(left, right) if left or right else None


def common_prefix(a: tuple[tuple[str, str], ...], b: tuple[tuple[str, str], ...]) -> int:
    """Return how many tokens the two have in common at the beginning, by their marks."""
    for place, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return place
    return min(len(a), len(b))


def is_name(subject: Sequence[Token]) -> bool:
    """Tell whether the words may be a name of the entity itself; not "Anna's brother", who is somebody else."""
    lexicon = load_lexicon()
    return not any(token.key in lexicon.relatives or token.shown.endswith(lexicon.possessives) for token in subject)


def find_run(keys: tuple[str, ...], run: tuple[str, ...]) -> int:
    """Return where the run stands in the keys without a gap, or -1."""
    return next((place for place in range(len(keys) - len(run) + 1) if keys[place : place + len(run)] == run), -1)


def is_within(wanted: Sequence[str], keys: Sequence[str]) -> bool:
    """Tell whether the keys stand in the others in this order, with gaps."""
    rest = iter(keys)
    return all(key in rest for key in wanted)


def _leaves_subject_out(items: tuple[Token, ...], whole: Tokens) -> bool:
    """Tell whether a statement begins with a verb, a negation or a preference; in Korean: marks no subject."""
    first = items[0].shown
    lexicon = load_lexicon()
    if "가" <= items[-1].shown[0] <= "힣":
        return not any(token.shown.endswith(lexicon.subject_marks) for token in items)
    inflected = first != stem(first) and first.endswith(lexicon.verb_endings)
    return inflected or whole.denied_at == 0 or whole.ceased or stem(first) in lexicon.preference
