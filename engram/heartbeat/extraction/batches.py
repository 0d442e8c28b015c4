"""How what is unread is divided into batches: notes first, then what is most worth it of the conversations.

Turns of one session stay in order, so that what a reader has finished of it is a number. Where time or tokens do not
last for all, the sessions that tell most go first; every third batch is of the session that has waited longest, so that
none waits for ever.
"""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.heartbeat.intake.unread import CONSUMER
from engram.heartbeat.intake.unread import Unread
from engram.heartbeat.intake.watermark_keys import NOTE_KEY
from engram.heartbeat.intake.watermark_keys import SESSION_KEY
from engram.language.signal.turn_worth import worth
from engram.language.text.statements import count_at_most
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.rules.notes.entry_places import Move

Measure = Callable[[NoteEntry | Turn], int]
CHARS_A_STATEMENT = 100  # that a statement counts for at least, where batches are made for the built-in child
_OLDEST_EVERY = 3  # batches of turns, of which one is of the session that has waited longest


class Batch(NamedTuple):
    """What one child is given, and the watermarks that move when its answer is applied."""

    notes: list[NoteEntry]
    turns: list[Turn]
    marks: list[Watermark]
    moves: Sequence[Move] = ()  # entries that only changed their place

    @property
    def rows(self) -> list[NoteEntry | Turn]:
        """The entries and turns in the order in which they are given."""
        return [*self.notes, *self.turns]

    @property
    def texts(self) -> list[str]:
        """The texts in the order in which they are given."""
        return [*(note.text for note in self.notes), *(turn.text for turn in self.turns)]

    @property
    def where(self) -> str:
        """Where the first of them stands, for people."""
        return self.notes[0].path if self.notes else f"session {self.turns[0].session}"


def text_chars(row: NoteEntry | Turn) -> int:
    """Return the characters of an entry's text."""
    return len(row.text)


def built_in_chars(row: NoteEntry | Turn) -> int:
    """Return how much of a batch for the built-in child an entry takes: its characters, more for short statements.

    So a batch holds a bounded number of statements, and the facts of them all fit into one answer.
    """
    return max(len(row.text), CHARS_A_STATEMENT * count_at_most(row.text))


def split_batches(
    unread: Unread, limit: int, *, by_worth: bool = False, measure: Measure = text_chars
) -> Iterator[Batch]:
    """Yield batches of at most that much (or of one entry), as `measure` tells: in characters unless told otherwise.

    The mark of a note moves with the last of its entries, that of a session with each batch. `by_worth`: what is most
    worth it of the conversations goes first, for when there may be no time for all.
    """
    parts = [part for turns in _by_session(unread.turns) for part in _split_session(turns, unread, limit, measure)]
    is_short = by_worth and sum(map(measure, unread.turns)) > limit
    yield from _split_notes(unread, limit, measure)
    yield from _joined(_in_order_of_worth(parts) if is_short else parts, limit, measure)


def split_sources(batch: Batch) -> list[Batch]:
    """Return a batch of notes and turns as one batch for each note and for each session."""
    marks = {mark.key: [mark] for mark in batch.marks}
    parts: dict[str, Batch] = {}
    for note in batch.notes:
        key = NOTE_KEY + note.path
        parts.setdefault(key, Batch([], [], marks.get(key, []))).notes.append(note)
    for turn in batch.turns:
        key = SESSION_KEY + turn.session
        parts.setdefault(key, Batch([], [], marks.get(key, []))).turns.append(turn)
    return list(parts.values())


def _split_notes(unread: Unread, limit: int, measure: Measure) -> Iterator[Batch]:
    last = {NOTE_KEY + note.path: place for place, note in enumerate(unread.notes)}
    sessions = {SESSION_KEY + turn.session for turn in unread.turns}
    marks = [mark for key, mark in unread.marks.items() if key not in last and key not in sessions]
    marks += unread.places
    if marks or unread.moves:
        yield Batch([], [], marks, unread.moves)
    notes: list[NoteEntry] = []
    marks, size = [], 0
    for place, note in enumerate(unread.notes):
        if size and size + measure(note) > limit:
            yield Batch(notes, [], marks)
            notes, marks, size = [], [], 0
        notes.append(note)
        size += measure(note)
        key = NOTE_KEY + note.path
        if last[key] == place and key in unread.marks:
            marks.append(unread.marks[key])
    if notes:
        yield Batch(notes, [], marks)


def _by_session(turns: list[Turn]) -> list[list[Turn]]:
    sessions: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    return list(sessions.values())


def _split_session(turns: list[Turn], unread: Unread, limit: int, measure: Measure) -> list[Batch]:
    """Return the turns of a session in order, each part with the place that the session's reader has then reached."""
    key = SESSION_KEY + turns[0].session
    parts: list[list[Turn]] = [[]]
    size = 0
    for turn in turns:
        if size and size + measure(turn) > limit:
            parts.append([])
            size = 0
        parts[-1].append(turn)
        size += measure(turn)
    marks = [Watermark(consumer=CONSUMER, key=key, value=str(after[0].ordinal)) for after in parts[1:]]
    return [Batch([], part, [mark]) for part, mark in zip(parts, [*marks, unread.marks[key]], strict=True)]


def _in_order_of_worth(parts: list[Batch]) -> Iterator[Batch]:
    """Yield the parts of sessions, those of one session in order: what tells most first, every third the oldest."""
    waiting: dict[str, list[Batch]] = defaultdict(list)
    for part in parts:
        waiting[part.turns[0].session].append(part)
    worths = {id(part): fmean(worth(turn.text) for turn in part.turns) for part in parts}
    for number in range(1, len(parts) + 1):
        if number % _OLDEST_EVERY:
            session = max(waiting, key=lambda name: worths[id(waiting[name][0])])
        else:
            session = min(waiting, key=lambda name: _said_at(waiting[name][0]))
        yield waiting[session].pop(0)
        if not waiting[session]:
            del waiting[session]


def _said_at(part: Batch) -> str:
    """Return when the first turn was said, as it sorts; of what has no time nobody knows how long it has waited."""
    at = part.turns[0].at
    return to_iso(at) if at is not None else ""


def _joined(parts: Iterable[Batch], limit: int, measure: Measure) -> Iterator[Batch]:
    """Yield batches of as many parts as fit; of a session, the mark of its last part is the one that counts."""
    turns: list[Turn] = []
    marks: dict[str, Watermark] = {}
    size = 0
    for part in parts:
        length = sum(map(measure, part.turns))
        if turns and size + length > limit:
            yield Batch([], turns, list(marks.values()))
            turns, marks, size = [], {}, 0
        turns = turns + part.turns
        marks |= {mark.key: mark for mark in part.marks}
        size += length
    if turns:
        yield Batch([], turns, list(marks.values()))
