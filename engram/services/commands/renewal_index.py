"""The facts of one state by what a statement meets them under that brings them up to date."""

import itertools
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Final

from engram.language.compare.updates.renewal import renewal_keys
from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status

_LIVE: Final = frozenset({Status.ACTIVE, Status.CANDIDATE})


class RenewalIndex:
    """The facts of one state by what they may be brought up to date under; what joins the state is added when asked."""

    def __init__(self) -> None:
        """Begin empty."""
        self._ids: dict[str, list[str]] = defaultdict(list)
        self._seen = 0

    def find(self, state: State, keys: Iterable[str]) -> Iterator[Fact]:
        """Yield the facts that hold or wait under these keys, each once; facts join a state at the end."""
        for fact in itertools.islice(state.facts.values(), self._seen, None):
            for key in renewal_keys(fact.text) if fact.status in _LIVE else ():
                self._ids[key].append(fact.id)
        self._seen = len(state.facts)
        for fact_id in dict.fromkeys(one for key in sorted(keys) for one in self._ids.get(key, ())):
            if (fact := state.facts[fact_id]).status in _LIVE:
                yield fact
