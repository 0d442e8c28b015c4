"""The entities that the texts of a start block bring into play: whom they name."""

from collections.abc import Iterable

from engram.base.text import is_archived
from engram.language.terms.terms import terms
from engram.ports.database import FactDatabase
from engram.rules.recall.ranking import named_entities
from engram.services.recall.query import RecallContext
from engram.services.recall.retrieval.candidates import CandidateSource
from engram.services.visibility import Caller

_MOST_IN_PLAY = 20  # entities: those that come first in the order of the texts
_READ_CHARS = 40_000  # of the texts in which entities are looked for


class Naming:
    """Finds the entities that one caller may know in texts."""

    def __init__(self, database: FactDatabase, caller: Caller, around: RecallContext) -> None:
        """Read their names."""
        self._names = CandidateSource(None, database, around).names(caller)

    def in_play(self, texts: Iterable[str]) -> list[str]:
        """Return the entities that the texts name, those first that come first."""
        found: dict[str, None] = {}
        room = _READ_CHARS
        for text in texts:
            found |= dict.fromkeys(sorted(named_entities(terms(text[:room]), self._names)))
            room -= len(text)
            if room <= 0 or len(found) >= _MOST_IN_PLAY:
                break
        return [path for path in found if not is_archived(path)][:_MOST_IN_PLAY]
