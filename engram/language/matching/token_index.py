"""Which patterns can match in which statement, by the words that a match must hold: each token is looked up once."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import reduce
from operator import add
from operator import or_

_FIRST_EASTERN = "\u1100"
_CHINESE = ("\u3400", "\u9fff")
_SHARE = 0.2  # of the places where a text goes on that go on with a certain letter, roughly
_EASTERN_SHARE = 0.04  # the same of signs for whole syllables or words
_MOST_GROUPS = 4  # of one pattern that are looked at, the rarest
_MOST_PHRASES = 40  # words with spaces that are looked for in a line once more, which is dear
_MOST_KNOWN = 20_000  # tokens of which the bits are remembered

_Bits = int  # a set of patterns of which a first group was found, next to it one of those with a second, ...
_Sought = tuple[str, int]  # a word, and by which of its tokens it is known: 0 is the longest, 1 the next
_Group = frozenset[str]  # texts of which one must stand in the statement


class NearWords:
    """Finds the patterns whose groups of words all stand in a line, a word of each group.

    Nothing that can match is left out. A word of several tokens is known by the longest of them, and of many groups
    only some are looked at, so that a pattern may be named for a line in which a word does not stand.
    """

    def __init__(self, patterns: Sequence[Sequence[_Group]]) -> None:
        """Take the groups of every pattern; a pattern without groups is near everywhere."""
        self._size = len(patterns)
        self._given: _Bits = 0  # groups that a pattern does not have
        self._phrases: dict[int, tuple[str, ...]] = {}  # those of a pattern's rarest group, where tokens do not suffice
        bits: dict[_Sought, _Bits] = {}
        for place, groups in enumerate(patterns):
            rarest = _rarest(groups)
            twice = [group for group in rarest if any(" " in word.strip() for word in group)]
            sought = [[(word, 0) for word in group] for group in rarest]
            sought += [[(word, 1) for word in group] for group in twice]
            for number in range(_MOST_GROUPS):
                bit = 1 << number * self._size + place
                for one in sought[number] if number < len(sought) else ():
                    bits[one] = bits.get(one, 0) | bit
                self._given |= bit if number >= len(sought) else 0
            if rarest and len(rarest[0]) <= _MOST_PHRASES and " " in "".join(rarest[0]):
                self._phrases[place] = tuple(rarest[0])
        self._bits_of = _bits_of_signs(bits) if _is_chinese(bits) else _bits_of_tokens(bits)

    def find(self, lines: Sequence[str]) -> dict[int, list[int]]:
        """Return the patterns that are near, in order, by line; lines without any are left out."""
        found: dict[int, list[int]] = {}
        size, given, bits_of = self._size, self._given, self._bits_of
        every = (1 << size) - 1
        for number, line in enumerate(lines):
            bits = bits_of(line) | given
            bits &= bits >> 2 * size  # of four groups, the first with the third and the second with the fourth
            bits &= bits >> size & every
            if bits:
                near = [place for place in _places(bits) if self._is_near(place, line)]
                if near:
                    found[number] = near
        return found

    def _is_near(self, pattern: int, line: str) -> bool:
        """Tell whether one of the phrases of a pattern stands in a line, not only their longest tokens."""
        phrases = self._phrases.get(pattern)
        if phrases is None:
            return True
        for phrase in phrases:  # noqa: SIM110 - a plain loop is quicker than any()
            if phrase in line:
                return True
        return False


def _places(bits: _Bits) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _rarest(groups: Sequence[_Group]) -> list[_Group]:
    """Return some groups of a pattern, the rarest first; what that one implies is left out."""
    ordered = sorted(groups, key=_frequency)
    implied = [all(any(word in longer for word in group) for longer in ordered[0]) for group in ordered]
    return [group for group, is_implied in zip(ordered, implied, strict=True) if not is_implied or group is ordered[0]][
        :_MOST_GROUPS
    ]


def _frequency(group: _Group) -> float:
    """Return how often a word of the group may stand in a line, for comparison only: short words stand in many."""
    is_sure = len(group) <= _MOST_PHRASES
    words = (word.replace(" ", "") if is_sure else max(word.split(" "), key=len) for word in group)
    return sum((_EASTERN_SHARE if word >= _FIRST_EASTERN else _SHARE) ** len(word) for word in words)


def _is_chinese(words: dict[_Sought, _Bits]) -> bool:
    """Tell whether the words are of a script that puts no spaces between them."""
    return sum(_CHINESE[0] <= word[0] <= _CHINESE[1] for word, _ in words) * 2 > len(words)


class _Tokens(dict[str, _Bits]):
    """The bits of tokens, each read once."""

    def __init__(self, bits: dict[_Sought, _Bits]) -> None:
        super().__init__()
        self._within: dict[str, _Bits] = {}  # anywhere in a token
        self._closing: dict[str, _Bits] = {}  # at its end
        self._whole: dict[str, _Bits] = {}  # all of it
        self._opening: dict[str, _Bits] = {}  # at its beginning
        for (word, rank), given in bits.items():
            pieces = word.split(" ")
            by_length = sorted(range(len(pieces)), key=lambda place: -len(pieces[place]))
            place = by_length[min(rank, len(pieces) - 1)]
            known = self._within
            if len(pieces) > 1:
                known = self._opening if place == len(pieces) - 1 else self._whole if place else self._closing
            known[pieces[place]] = known.get(pieces[place], 0) | given
        # How long the words are that begin with two signs, or end with them: at most places of a token none does.
        self._sizes_after = _sizes_by_signs(self._within, slice(None, 2))
        self._single = frozenset(word for word in self._within if len(word) == 1)
        self._opening_sizes = _sizes_by_signs(self._opening, slice(None, 2))
        self._closing_sizes = _sizes_by_signs(self._closing, slice(-2, None))
        self._short = frozenset(word for word in (*self._opening, *self._closing) if len(word) < 2)

    def __missing__(self, token: str) -> _Bits:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        size, within, sizes_after = len(token), self._within, self._sizes_after
        bits = self._whole.get(token, 0)
        for start in range(size - 1):
            for length in sizes_after.get(token[start : start + 2], ()):
                bits |= within.get(token[start : start + length], 0)
        for sign in self._single.intersection(token):
            bits |= within[sign]
        for length in self._opening_sizes.get(token[:2], ()):
            bits |= self._opening.get(token[:length], 0)
        for length in self._closing_sizes.get(token[-2:], ()):
            bits |= self._closing.get(token[-length:], 0)
        for word in self._short:
            bits |= self._opening.get(word, 0) if token.startswith(word) else 0
            bits |= self._closing.get(word, 0) if token.endswith(word) else 0
        self[token] = bits
        return bits


def _sizes_by_signs(words: Iterable[str], signs: slice) -> dict[str, list[int]]:
    """Return how long the words of two signs and more are, by two of their signs."""
    sizes: dict[str, set[int]] = {}
    for word in words:
        if len(word) >= 2:
            sizes.setdefault(word[signs], set()).add(len(word))
    return {two: sorted(found) for two, found in sizes.items()}


def _bits_of_tokens(bits: dict[_Sought, _Bits]) -> Callable[[str], _Bits]:
    """Return what finds words where spaces stand between them: texts repeat their tokens, so that few are looked at."""
    known = _Tokens(bits)

    bits_of_token = known.__getitem__

    def bits_of(line: str) -> _Bits:
        return reduce(or_, map(bits_of_token, line.split(" ")))

    return bits_of


def _bits_of_signs(bits: dict[_Sought, _Bits]) -> Callable[[str], _Bits]:
    """Return what finds words of a script with many signs and no spaces, by the two signs that they begin with."""
    by_pair: dict[str, list[tuple[str, _Bits]]] = {}
    for (word, _), given in bits.items():
        by_pair.setdefault(word[:2], []).append((word, given))
    singles = [(word, given) for (word, _), given in bits.items() if len(word) == 1]
    pairs = frozenset(by_pair)

    def bits_of(line: str) -> _Bits:
        return reduce(or_, _hits(line), 0) | reduce(or_, (given for sign, given in singles if sign in line), 0)

    def _hits(line: str) -> Iterator[_Bits]:
        for pair in pairs.intersection(map(add, line, line[1:])):
            for word, given in by_pair[pair]:
                if word in line:
                    yield given

    return bits_of
