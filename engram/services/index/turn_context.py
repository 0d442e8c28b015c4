"""What was said before a turn: the words by which a short answer is found.

A turn such as "yes, on Friday" only says something after the one before it, and the "ok" of a program says nothing even
then, unless it was asked. The context is the turns right before it in its session, as many as fit. The journal's order
decides, so an index built anew gives every turn the same context.
"""

from collections import OrderedDict
from typing import NamedTuple

from engram.language.terms.terms import terms
from engram.language.text.talk.acknowledgements import is_acknowledgement
from engram.model.document import Document
from engram.model.fact import Trust
from engram.ports.index import VectorIndex

MOST_TURNS = 4  # back
MOST_TERMS = 100  # of the turn and its context together; with longer ones what the turn itself says drowns
_ASKED = "?？"
_SESSIONS = 4096  # whose last turns are kept; more than there are documents between two moves of the index's position


class _Said(NamedTuple):
    """A turn as far as the next ones need it."""

    id: str
    scope: str
    text: str
    terms: int
    quarantined: bool


class SpokenBefore:
    """The last turns of the sessions that are being indexed; read from the index where an earlier catch-up ended."""

    def __init__(self, index: VectorIndex) -> None:
        """Take the index, at the position from which the next records are read."""
        self._index = index
        self._sessions: OrderedDict[str, dict[int, _Said]] = OrderedDict()  # session -> place -> turn; oldest use first

    def put_in_context(self, document: Document) -> Document:
        """Return the document with its context, and remember it for the next; what is no turn comes back as it is."""
        if document.session is None or document.ordinal is None:
            return document
        said = self._last_of(document.session, document.ordinal)
        own = _said(document)
        parts: list[str] = []
        total = own.terms
        for place in range(document.ordinal - 1, document.ordinal - 1 - MOST_TURNS, -1):
            turn = said.get(place)
            if turn is None or turn.quarantined or turn.scope != own.scope or total + turn.terms > MOST_TERMS:
                break
            parts.insert(0, turn.text)
            total += turn.terms
        if parts and document.by_assistant and is_acknowledgement(_words(document)) and not _asks(parts[-1]):
            parts = []
        _remember(said, document.ordinal, own)
        for place in [place for place in said if place < document.ordinal - MOST_TURNS]:
            del said[place]
        return document.model_copy(update={"context": "\n".join(parts)}) if parts else document

    def _last_of(self, session: str, ordinal: int) -> dict[int, _Said]:
        if session not in self._sessions:
            said: dict[int, _Said] = {}
            for document in self._index.said_before(session, ordinal, MOST_TURNS) if ordinal else ():
                _remember(said, document.ordinal or 0, _said(document))
            self._sessions[session] = said
            if len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(session)
        return self._sessions[session]


def _words(document: Document) -> str:
    """Return what a turn says, without its speaker."""
    speaker, _, words = document.text.partition(": ")
    return words if words else speaker


def _asks(text: str) -> bool:
    return any(sign in text for sign in _ASKED)


def _said(document: Document) -> _Said:
    text = document.indexed_text
    return _Said(document.id, document.scope, text, len(terms(text)), document.trust == Trust.QUARANTINED)


def _remember(said: dict[int, _Said], place: int, turn: _Said) -> None:
    """Keep one turn a place; of several that claim it the same one whatever order they came in."""
    if place not in said or said[place].id <= turn.id:
        said[place] = turn
