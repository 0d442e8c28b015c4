"""The facts of one state by what a statement meets them under that brings them up to date."""

import bisect
import datetime as dt
import itertools
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Final

from engram.language.compare.updates.renewal import renewal_keys
from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.writes.comparable import MOST_OF_ONE_KEY

_LIVE: Final = frozenset({Status.ACTIVE, Status.CANDIDATE})


class RenewalIndex:
    """The facts of one state by what they may be brought up to date under; what joins the state is added when asked."""

    def __init__(self) -> None:
        """Begin empty."""
        self._newest_last: dict[tuple[str, str], list[tuple[dt.datetime, str]]] = defaultdict(list)  # by scope and key
        self._seen = 0

    def find(self, state: State, scope: str, keys: Iterable[str]) -> Iterator[Fact]:
        """Yield the newest facts of a scope that hold or wait under these keys, each once.

        Facts join a state at the end.
        """
        for fact in itertools.islice(state.facts.values(), self._seen, None):
            for key in renewal_keys(fact.text) if fact.status in _LIVE else ():
                bisect.insort(self._newest_last[fact.scope, key], (fact.recorded_at, fact.id))
        self._seen = len(state.facts)
        for fact_id in dict.fromkeys(one for key in sorted(keys) for one in self._newest(state, scope, key)):
            yield state.facts[fact_id]

    def _newest(self, state: State, scope: str, key: str) -> list[str]:
        """Return the ids of the newest facts of a scope under a key that hold or wait, oldest first."""
        newest_first = (one for _, one in reversed(self._newest_last.get((scope, key), [])))
        live = (one for one in newest_first if state.facts[one].status in _LIVE)
        return list(itertools.islice(live, MOST_OF_ONE_KEY))[::-1]
