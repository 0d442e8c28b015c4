"""Corrections in what is read: how they were said, and those of which nobody made a fact.

"No, Thursday" is hardly worth keeping by itself; it is when something is known that it puts right. Which fact that is,
is decided with the command (see `services.commands.taking_back`); here it is only seen whether there seems to be one.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.speaker_names import is_own_speech
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.elsewhere import Elsewhere
from engram.heartbeat.extraction.missed.elsewhere import LoadSlice
from engram.heartbeat.extraction.missed.spoken import spoken_statements
from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.corrections import read_correction
from engram.language.text.statements import Statement
from engram.model.comparison import Comparison
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from engram.services.commands.writes.comparison import compare_all
from engram.services.extract.correction.target import Certainty
from engram.services.extract.correction.target import Correctable
from engram.services.extract.correction.target import find_corrected
from engram.services.extract.correction.target import has_topic
from engram.services.extract.correction.target import is_of_somebody
from engram.services.extract.subject.subject_features import speaks_of_self

_NOT_YET = Comparison("none", 0.0, 0.0, "compared with each correction when there is one")
_CONFIDENCE = 0.8  # of a correction that no statement was made of


class _Said(NamedTuple):
    """A statement of a conversation or note that a correction there may take back."""

    entity: str  # path, or a name of it
    known: Correctable


def said_as(text: str, quote: str) -> str:
    """Return how a statement was said when that takes something back, else "".

    `text` is the entry or turn that holds the quote. A statement of it may leave out what led to it.
    """
    at = text.find(quote)
    if at < 0:
        return ""
    for statement, words in spoken_statements(text):
        if statement.start <= at < statement.end:
            return words if read_correction(words) is not None else ""
    return ""


def find_missed(
    batch: Batch, facts: Sequence[HandoffFact], said: Sequence[Fact], load: LoadSlice | None = None
) -> list[HandoffFact]:
    """Return the facts of a batch in the order of its texts, and among them the corrections that are none of them.

    `said` are the facts that come from the same notes and sessions, oldest first; `load` reads of the store what else
    the person may mean. Only a correction that means one of them, or one statement that stands before it in the batch,
    is taken; it is about the same entity.
    """
    known: dict[str, list[_Said]] = defaultdict(list)  # by the conversation or note
    for fact in said:
        before = known[_where_from(fact)]
        before[:] = [*_aged(before), _Said(fact.entity, _correctable(fact))]
    rows: list[NoteEntry | Turn] = [*batch.notes, *batch.turns]
    of_row: dict[str | None, list[HandoffFact]] = defaultdict(list)
    for new in facts:
        of_row[new.entry or next((row.id for row in rows if new.quote in row.text), None)].append(new)
    elsewhere = Elsewhere(rows, load, _correctable)
    found: list[HandoffFact] = []
    for row in rows:
        mine, before = of_row.pop(row.id, []), known[_where(row)]
        length = len(before)
        found += _read_row(row, mine, before, elsewhere)
        elsewhere.add(row, [one.known for one in before[length:]])
        if not is_of_a_program(row):
            before[:length] = _aged(before[:length])
    return [*found, *(fact for rest in of_row.values() for fact in rest)]


def _aged(said: Sequence[_Said]) -> list[_Said]:
    """Return what was said as it stands when something else has been said since."""
    return [one._replace(known=one.known._replace(is_last=False)) if one.known.is_last else one for one in said]


def _read_row(
    row: NoteEntry | Turn, facts: Sequence[HandoffFact], known: list[_Said], elsewhere: Elsewhere
) -> list[HandoffFact]:
    """Return the facts of an entry or turn in the order of its text, with the corrections that were missed.

    `known` grows by what is said here.
    """
    if not (facts or known or elsewhere.may_correct(row)):
        return []
    placed = [(row.text.find(fact.quote), fact) for fact in facts]
    for statement, words in spoken_statements(row.text):
        mine = [fact for at, fact in placed if statement.start <= at < statement.end]
        is_told = any(at < statement.start < at + len(fact.quote) for at, fact in placed)
        correction = read_correction(words) if not (mine or is_told or is_of_a_program(row)) else None
        if correction is not None and (correction.is_meant or has_topic(correction)):
            others = elsewhere.find(row, correction, [one.known for one in known])
            mine = _missed(row, statement, correction, [*(_Said(one.about, one) for one in others), *known])
            placed += [(statement.start, fact) for fact in mine]
        known += [_Said(fact.entity, _as_known(fact)) for fact in mine]
    return [fact for _, fact in sorted(placed, key=lambda one: one[0])]


def _missed(
    row: NoteEntry | Turn, statement: Statement, correction: Correction, known: Sequence[_Said]
) -> list[HandoffFact]:
    if isinstance(row, Turn) and not is_own_speech(row.speaker) and speaks_of_self(correction.statement):
        return []  # who says "my" here, and of whom that was said before, only attribution knows
    if not known:
        return []
    compared = compare_all(correction.statement, [one.known.text for one in known])
    open_to_it = [one.known._replace(comparison=how) for one, how in zip(known, compared, strict=True)]
    found = find_corrected(correction, open_to_it)
    about = {one.entity for one in known if one.known.id in found.ids}
    doubtful = found.certainty == Certainty.UNSURE and len(found.ids) == 1 and correction.is_meant
    if not (found.certainty == Certainty.SURE or doubtful) or len(about) != 1:
        return []
    return [
        HandoffFact(
            entity=about.pop(),
            fact=correction.text,
            confidence=_CONFIDENCE,
            quote=statement.text,
            entry=row.id,
        )
    ]


def _correctable(fact: Fact) -> Correctable:
    return Correctable(
        fact.id,
        fact.text,
        _NOT_YET,
        of_entity=False,
        said_here=True,
        is_last=True,
        is_corrected=bool(fact.supersedes),
        about=fact.entity,
    )


def _as_known(fact: HandoffFact) -> Correctable:
    name = f"{fact.entry}\n{fact.quote}\n{fact.fact}"
    return Correctable(name, fact.fact, _NOT_YET, of_entity=False, said_here=True, is_last=True, about=fact.entity)


def _where(row: NoteEntry | Turn) -> str:
    """Return the conversation or the note that something stands in."""
    return f"note {row.path}" if isinstance(row, NoteEntry) else f"session {row.session}"


def _where_from(fact: Fact) -> str:
    source = fact.source
    return f"note {source.path}" if source.path and not source.turn else f"session {source.session}"


def is_of_a_program(row: NoteEntry | Turn) -> bool:
    """Tell whether a program said it: it takes nothing back."""
    return isinstance(row, Turn) and not is_of_somebody(row.speaker)
