"""Which names stand within sentences, and of which of them a statement tells that they are people's. Pure.

A capital at the beginning of a sentence says nothing, and one in its middle makes a name of the same word everywhere.
"""

from collections import Counter
from collections import defaultdict
from typing import Final

from engram.language.names.persons import is_person

_MOST: Final = 50  # statements of one name that are looked at for what it does


class RecurringNames:
    """Counts statements in which a name stands within a sentence; names are known by their key."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._within: Counter[str] = Counter()
        self._said: dict[str, list[tuple[str, str]]] = defaultdict(list)  # by key: name as written, statement
        self._people: dict[tuple[str, int], bool] = {}

    def add(self, text: str, names: dict[str, str], within: set[str]) -> None:
        """Take a statement, the capitalised names in it by their keys, and the keys of those within its sentences."""
        self._within.update(within)
        for key, name in names.items():
            if len(self._said[key]) < _MOST:
                self._said[key].append((name, text))

    def within(self, key: str) -> int:
        """Return how many statements have a name within a sentence, where its capital means something."""
        return self._within[key]

    def is_person(self, key: str) -> bool:
        """Tell whether some statement tells by itself that a name is a person's."""
        said = self._said.get(key, [])
        found = self._people.get((key, len(said)))
        if found is None:
            found = self._people[key, len(said)] = any(is_person(text, name) for name, text in said)
        return found
