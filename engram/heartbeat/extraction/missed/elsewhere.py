"""What a person's correction may mean outside of its own conversation: facts of the store, and those of the batch.

What of it is meant is judged as everywhere (see `services.extract.correction.target`); here it is only found.
"""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.speaker_names import is_own_speech
from engram.heartbeat.extraction.missed.spoken import spoken_statements
from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.corrections import read_correction
from engram.language.names.spans import names_inside
from engram.model.changes.state import State
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.ports.database import SliceKeys
from engram.services.commands.writes.elsewhere import is_within_reach
from engram.services.extract.correction.mentions import mention_phrases
from engram.services.extract.correction.mentions import mentions
from engram.services.extract.correction.target import Correctable

LoadSlice = Callable[[SliceKeys], State]
AsCorrectable = Callable[[Fact], Correctable]

_LIVE = frozenset({Status.ACTIVE, Status.CANDIDATE})


class _Told(NamedTuple):
    """A fact of the batch."""

    row: NoteEntry | Turn
    known: Correctable


class Elsewhere:
    """What is known outside of the conversation in which something is corrected."""

    def __init__(self, rows: Sequence[NoteEntry | Turn], load: LoadSlice | None, correctable: AsCorrectable) -> None:
        """Read of the store, by `load`, what the corrections of some rows may mean; nothing without it."""
        told = [*_corrections(rows)] if load is not None else []
        sought = frozenset((row.scope, phrases) for row, phrases in told)
        sessions = frozenset(row.session for row, _ in told if row.session)
        self._state = load(SliceKeys(mentions=sought, sessions=sessions)) if load is not None and sought else State()
        self._correctable = correctable
        self._rows = frozenset(row.id for row, _ in told)
        self._told: list[_Told] = []

    def may_correct(self, row: NoteEntry | Turn) -> bool:
        """Tell whether something in a row may be a correction of what is elsewhere."""
        return row.id in self._rows

    def add(self, row: NoteEntry | Turn, known: Sequence[Correctable]) -> None:
        """Take in what was said in a row of the batch."""
        if self._rows:
            self._told += [_Told(row, one) for one in known]

    def find(self, row: NoteEntry | Turn, correction: Correction, here: Sequence[Correctable]) -> list[Correctable]:
        """Return what a correction of a row may mean, without what is known `here`, in its own conversation."""
        phrases = mention_phrases(correction) if row.id in self._rows else ()
        if not phrases:
            return []
        ids = {one.id for one in here}
        session = self._state.sessions.get(row.session or "")
        stored = (
            self._correctable(fact)
            for fact in self._state.facts.values()
            if fact.status in _LIVE
            and fact.scope == row.scope
            and mentions(fact.text, phrases)
            and is_within_reach(fact, session, self._state, correction)
        )
        told = (
            one.known
            for one in self._told
            if one.row.scope == row.scope
            and mentions(one.known.text, phrases)
            and (self._is_of_one(one.row, row) or names_inside(one.known.text) & names_inside(correction.text))
        )
        found = (one._replace(is_elsewhere=True, said_here=False, is_last=False) for one in (*stored, *told))
        return [one for one in found if one.id not in ids]

    def _is_of_one(self, told: NoteEntry | Turn, row: NoteEntry | Turn) -> bool:
        """Tell whether two rows are of one project, as far as both have one."""
        sessions = self._state.sessions
        of = [one.project if (one := sessions.get(name or "")) else None for name in (told.session, row.session)]
        return None in of or of[0] == of[1]


def _corrections(rows: Sequence[NoteEntry | Turn]) -> Iterator[tuple[Turn, tuple[str, ...]]]:
    """Yield the turns in which the person puts something right, with the phrases by which that is looked for."""
    for row in rows:
        if not isinstance(row, Turn) or not is_own_speech(row.speaker):
            continue
        for _, words in spoken_statements(row.text):
            correction = read_correction(words)
            if correction is not None and (phrases := mention_phrases(correction)):
                yield row, phrases
