"""Which patterns can match in which statement, by the words that a match must hold: all are looked up in one pass."""

from collections.abc import Iterator
from collections.abc import Sequence

from ahocorasick_rs import AhoCorasick

_FIRST_EASTERN = "\u1100"
_SHARE = 0.2  # of the places where a text goes on that go on with a certain letter, roughly
_EASTERN_SHARE = 0.04  # the same of signs for whole syllables or words
_MOST_GROUPS = 4  # of one pattern that are looked at, the rarest

_Bits = int  # a set of patterns of which a first group was found, next to it one of those with a second, ...
_Group = frozenset[str]  # texts of which one must stand in the statement


class NearWords:
    """Finds the patterns whose groups of words all stand in a line, a word of each group.

    Nothing that can match is left out. Of many groups only the rarest are looked at, so that a pattern may be named for
    a line in which a word of another group does not stand.
    """

    def __init__(self, patterns: Sequence[Sequence[_Group]]) -> None:
        """Take the groups of every pattern; a pattern without groups is near everywhere."""
        self._size = len(patterns)
        self._given: _Bits = 0  # groups that a pattern does not have
        bits: dict[str, _Bits] = {}
        for place, groups in enumerate(patterns):
            rarest = _rarest(groups)
            for number in range(_MOST_GROUPS):
                bit = 1 << number * self._size + place
                for word in rarest[number] if number < len(rarest) else ():
                    bits[word] = bits.get(word, 0) | bit
                self._given |= bit if number >= len(rarest) else 0
        self._automaton = AhoCorasick(list(bits))
        self._bits = list(bits.values())  # of the words, as the automaton numbers them
        self._always = self._places_of(self._given, self._size)  # where no word stands

    def find(self, lines: Sequence[str]) -> dict[int, list[int]]:
        """Return the patterns that are near, in order, by line; lines without any are left out."""
        found = {number: self.find_in(line) for number, line in enumerate(lines)}
        return {number: places for number, places in found.items() if places}

    def find_in(self, line: str) -> list[int]:
        """Return the patterns that are near in one line, in order."""
        words = {word for word, _, _ in self._automaton.find_matches_as_indexes(line, overlapping=True)}
        if not words:
            return self._always
        size, bits = self._size, self._given
        for word in words:
            bits |= self._bits[word]
        return self._places_of(bits, size)

    @staticmethod
    def _places_of(bits: _Bits, size: int) -> list[int]:
        bits &= bits >> 2 * size  # of four groups, the first with the third and the second with the fourth
        bits &= bits >> size & (1 << size) - 1
        return list(_places(bits)) if bits else []


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
    return sum((_EASTERN_SHARE if word >= _FIRST_EASTERN else _SHARE) ** len(word) for word in group)
