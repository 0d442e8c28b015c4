"""Statements that recall gave out and that came back into notes or turns: they are no news, whoever extracted them."""

from collections.abc import Callable
from collections.abc import Sequence

from engram.base.text import parse_entity_path
from engram.heartbeat.extraction.batches import Batch
from engram.language.names.mentions import NameIndex
from engram.language.screen.recall_echo import blank_recalled
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.handoff import HandoffFact

Finder = Callable[[str], str | None]  # text -> the id as which recall gave it out lately


def leave_out_recalled(
    facts: Sequence[HandoffFact], batch: Batch, index: NameIndex, recalled: Finder
) -> list[HandoffFact]:
    """Return the facts of a hand-off without those that recall gave out.

    An agent that writes such a statement into a note repeats what it was told. A user may say again what she said
    before: her words go on, to confirm the fact that they equal, unless they would make it a fact of another entity.
    """
    rows: dict[str, NoteEntry | Turn] = {note.id: note for note in batch.notes}
    rows |= {turn.id: turn for turn in batch.turns}
    return [fact for fact in facts if not _comes_back(fact, rows, index, recalled)]


def _comes_back(fact: HandoffFact, rows: dict[str, NoteEntry | Turn], index: NameIndex, recalled: Finder) -> bool:
    row = rows.get(fact.entry or "") or next((row for row in rows.values() if fact.quote in row.text), None)
    if row is None:
        return False  # a quote that stands nowhere is refused for that
    if fact.quote in row.text and fact.quote not in blank_recalled(row.text):
        return True
    known = recalled(fact.quote) or recalled(fact.fact)
    if known is None or isinstance(row, NoteEntry):
        return known is not None
    entity = _entity_of(known)
    return entity is not None and entity != (index.find_path(fact.entity) or fact.entity)


def _entity_of(known: str) -> str | None:
    """Return the entity of a fact's id; None for a turn, a note entry or a line of MEMORY.md."""
    entity, _, number = known.rpartition("-")
    return entity if number.isdecimal() and parse_entity_path(entity) is not None else None
