"""Which patterns can match in which statement, by the words that a match must hold: each token is looked up once."""

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import chain
from operator import add

_CHINESE = ("\u3400", "\u9fff")
_SHARE = 0.2  # of the places where a text goes on that go on with a certain letter, roughly
_MOST_PHRASES = 12  # words with spaces that are looked for in a line once more, which is dear
_MOST_KNOWN = 20_000  # tokens of which the bits are remembered

_Bits = int  # a set of groups or of patterns: 1 << place of each
_Group = frozenset[str]  # texts of which one must stand in the statement
_Needs = tuple[int, _Bits, tuple[str, ...]]  # a pattern, all of its groups, and the rarest where tokens do not suffice


class NearWords:
    """Finds the patterns whose groups of words all stand in a line, a word of each group.

    Nothing that can match is left out. A word of several tokens is known by the longest of them, so that a pattern may
    be named for a line in which the whole word does not stand.
    """

    def __init__(self, patterns: Sequence[Sequence[_Group]], sample: Sequence[str] = ()) -> None:
        """Take the groups of every pattern; a pattern without groups is near everywhere.

        The sample, lines such as will be searched, only makes it quicker: it shows which groups are rare.
        """
        numbers = {group: place for place, group in enumerate(dict.fromkeys(chain.from_iterable(patterns)))}
        bits: dict[str, _Bits] = {}
        for group, number in numbers.items():
            for word in group:
                bits[word] = bits.get(word, 0) | 1 << number
        self._bits_of = _bits_of_signs(bits) if _is_chinese(bits) else _bits_of_tokens(bits)
        seen = Counter(bit for line in sample for bit in _each(self._bits_of(line)))
        often = {group: (seen[1 << number], _frequency(group)) for group, number in numbers.items()}
        self._everywhere: list[int] = []
        self._triggered: dict[_Bits, list[_Needs]] = {}  # by their rarest group
        for place, groups in enumerate(patterns):
            if not groups:
                self._everywhere.append(place)
                continue
            rarest = min(groups, key=often.__getitem__)
            needed = sum(1 << number for number in {numbers[group] for group in groups})
            phrases = tuple(rarest) if len(rarest) <= _MOST_PHRASES and " " in "".join(rarest) else ()
            self._triggered.setdefault(1 << numbers[rarest], []).append((place, needed, phrases))
        self._triggers = sum(self._triggered)

    def find(self, lines: Sequence[str]) -> dict[int, list[int]]:
        """Return the patterns that are near, in order, by line; lines without any are left out."""
        found: dict[int, list[int]] = {}
        for place, line in enumerate(lines):
            bits = self._bits_of(line)
            near = self._everywhere.copy()
            begun = bits & self._triggers
            while begun:
                trigger = begun & -begun
                begun ^= trigger
                for pattern, needed, phrases in self._triggered[trigger]:
                    if bits & needed == needed and (not phrases or _holds(line, phrases)):
                        near.append(pattern)
            if near:
                near.sort()
                found[place] = near
        return found


def _holds(line: str, phrases: tuple[str, ...]) -> bool:
    for phrase in phrases:  # noqa: SIM110 - a plain loop is quicker than any()
        if phrase in line:
            return True
    return False


def _each(bits: _Bits) -> Iterator[_Bits]:
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def _frequency(group: _Group) -> float:
    """Return how often a word of the group may stand in a line, for comparison only: short words stand in many."""
    return sum(_SHARE ** len(max(word.split(" "), key=len)) for word in group)


def _is_chinese(words: dict[str, _Bits]) -> bool:
    """Tell whether the words are of a script that puts no spaces between them."""
    return sum(_CHINESE[0] <= word[0] <= _CHINESE[1] for word in words) * 2 > len(words)


class _Tokens(dict[str, _Bits]):
    """The bits of tokens, each read once."""

    def __init__(self, bits: dict[str, _Bits]) -> None:
        super().__init__()
        self._within: dict[str, _Bits] = {}  # anywhere in a token
        self._closing: dict[str, _Bits] = {}  # at its end
        self._whole: dict[str, _Bits] = {}  # all of it
        self._opening: dict[str, _Bits] = {}  # at its beginning
        for word, given in bits.items():
            pieces = word.split(" ")
            longest = max(range(len(pieces)), key=lambda place: len(pieces[place]))
            known = self._within
            if len(pieces) > 1:
                known = self._opening if longest == len(pieces) - 1 else self._whole if longest else self._closing
            known[pieces[longest]] = known.get(pieces[longest], 0) | given
        pieces = [*self._within, *self._closing, *self._whole, *self._opening]
        self._longest = max(map(len, pieces), default=0)

    def __missing__(self, token: str) -> _Bits:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        size = len(token)
        bits = self._whole.get(token, 0) | self._opening.get("", 0) | self._closing.get("", 0)
        for start in range(size):
            for end in range(start + 1, min(size, start + self._longest) + 1):
                piece = token[start:end]
                bits |= self._within.get(piece, 0)
                if not start:
                    bits |= self._opening.get(piece, 0)
                if end == size:
                    bits |= self._closing.get(piece, 0)
        self[token] = bits
        return bits


def _bits_of_tokens(bits: dict[str, _Bits]) -> Callable[[str], _Bits]:
    """Return what finds words where spaces stand between them: texts repeat their tokens, so that few are looked at."""
    known = _Tokens(bits)

    def bits_of(line: str) -> _Bits:
        found = 0
        for token in line.split(" "):
            found |= known[token]
        return found

    return bits_of


def _bits_of_signs(bits: dict[str, _Bits]) -> Callable[[str], _Bits]:
    """Return what finds words of a script with many signs and no spaces, by the two signs that they begin with."""
    by_pair: dict[str, list[tuple[str, _Bits]]] = {}
    for word, given in bits.items():
        by_pair.setdefault(word[:2], []).append((word, given))
    singles = [(word, given) for word, given in bits.items() if len(word) == 1]
    pairs = frozenset(by_pair)

    def bits_of(line: str) -> _Bits:
        return sum_of(_hits(line)) | sum_of(given for sign, given in singles if sign in line)

    def _hits(line: str) -> Iterator[_Bits]:
        for pair in pairs.intersection(map(add, line, line[1:])):
            for word, given in by_pair[pair]:
                if word in line:
                    yield given

    def sum_of(sets: Iterator[_Bits]) -> _Bits:
        found = 0
        for one in sets:
            found |= one
        return found

    return bits_of
