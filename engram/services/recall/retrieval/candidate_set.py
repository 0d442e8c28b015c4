"""The candidates of one question: what the legs found, what the store says of each, and which of them left and why."""

import copy
from collections.abc import Collection
from collections.abc import Iterable
from typing import Final

from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.ports.index import Candidate
from engram.services.recall.retrieval.time_leg import Period

_BEHIND: Final = 0.99  # share of the score of the one that a candidate stands behind


class CandidateSet:
    """The candidates of one question: documents and leg scores, what the store says of them, and exits taken."""

    def __init__(self) -> None:
        """Begin empty."""
        self.documents: dict[str, Document] = {}
        self.legs: dict[str, dict[str, float]] = {}
        self.facts: dict[str, Fact] = {}
        self.tiers: dict[str, str] = {}
        self.rated: dict[str, float] = {}  # fact -> its confidence, where somebody rated it
        self.to_mark: dict[str, str] = {}  # fact -> planned or ended
        self.overdue: dict[str, str] = {}  # promise that is owed still -> the day by which it was promised
        self.exits: dict[str, str] = {}
        self.place_of: dict[str, str] = {}  # fact -> the text among the candidates that it came from
        self.come_forward: frozenset[str] = frozenset()  # by the kind of answer that they hold
        self.period: Period | None = None  # that the words of the question mean
        self.period_words = ""  # of the question, that name a time at which something was said

    def add(self, leg: str, candidates: Iterable[Candidate]) -> None:
        """Take in what a leg found."""
        scores = self.legs.setdefault(leg, {})
        for candidate in candidates:
            self.documents[candidate.document.id] = candidate.document
            scores[candidate.document.id] = candidate.score

    def open_legs(self) -> dict[str, dict[str, float]]:
        """Return leg -> id -> score of the candidates that took no exit."""
        return {
            leg: {key: score for key, score in scores.items() if key not in self.exits}
            for leg, scores in self.legs.items()
        }

    def take_over(self, new: str, old: str) -> None:
        """Give a candidate the better score of the two in each leg that has found the one in whose place it stands."""
        self._lift(new, old, 1.0)

    def follow(self, new: str, old: str) -> None:
        """Let a candidate stand no further back than right behind another one."""
        self._lift(new, old, _BEHIND)

    def _lift(self, new: str, old: str, share: float) -> None:
        for scores in self.legs.values():
            if old in scores:
                scores[new] = max(share * scores[old], scores.get(new, share * scores[old]))

    def without_exits(self, ids: Collection[str]) -> "CandidateSet":
        """Return these candidates as if some of them had taken no exit."""
        other = copy.copy(self)
        other.exits = {key: why for key, why in self.exits.items() if key not in ids}
        return other

    def believed(self) -> dict[str, Fact]:
        """Return the facts among the candidates, by id: what only waits to be one counts as raw text."""
        return {key: fact for key, fact in self.facts.items() if fact.status != Status.CANDIDATE}

    def legs_of(self, key: str) -> dict[str, float]:
        """Return leg -> score of one candidate."""
        return {leg: round(scores[key], 6) for leg, scores in self.legs.items() if key in scores}
