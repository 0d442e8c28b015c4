"""What other agents wrote about a question, of which only the owner hears, and only that there is some."""

from collections.abc import Collection
from typing import Any
from typing import NamedTuple

from engram.base.counts import counted
from engram.model.document import Document
from engram.services.visibility import MAIN_SESSION

_MOST_NAMED = 3  # sessions


class OtherAgents(NamedTuple):
    """Notes and turns of other agents that would have been among the hits."""

    texts: int
    sessions: tuple[str, ...]  # in which they stand, by name: AGENT/SESSION

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the contract."""
        return {"texts": self.texts, "sessions": list(self.sessions)}

    def in_words(self) -> str:
        """Return how many there are, and by which options they are asked for."""
        doors = ", ".join(_door(session) for session in self.sessions[:_MOST_NAMED])
        more = ", ..." if len(self.sessions) > _MOST_NAMED else ""
        pronoun, verb = ("it", "is") if self.texts == 1 else ("them", "are")
        texts = f"{counted(self.texts, 'text')} of other agents {verb} about this, too"
        return f"{texts}; ask for {pronoun} with {doors}{more}"


def count_of_others(documents: Collection[Document]) -> OtherAgents | None:
    """Return what these texts of other agents come to; None without any."""
    if not documents:
        return None
    return OtherAgents(len(documents), tuple(sorted({one.session for one in documents if one.session})))


def _door(session: str) -> str:
    agent, _, rest = session.partition("/")
    return f"--agent {agent}" if rest == MAIN_SESSION else f"--session {session}"
