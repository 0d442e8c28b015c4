"""Entries and turns as a question shows them."""

from typing import Any

from engram.heartbeat.extraction.homes import Homes
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.services.extract.lines.passage import without_own_title
from engram.services.silo.cross_team import CROSS_TEAM
from engram.services.silo.cross_team import without_writer


def passage_row(row: NoteEntry | Turn, homes: Homes) -> dict[str, Any]:
    """Return what a reader is told of an entry or a turn; see `services.extract.lines.passage.Passage`."""
    home = homes.fields(row)
    if isinstance(row, NoteEntry):
        return {
            "id": row.id,
            "text": without_writer(row.text) if row.path == CROSS_TEAM else row.text,
            "headings": list(without_own_title(tuple(row.heading), row.path)),
            **home,
        }
    return {"id": row.id, "text": row.text, "is_turn": True, "speaker": row.speaker, **home}


def occasion_of(row: NoteEntry | Turn) -> str:
    """Return on which occasion it was said: the day or the note, or the conversation."""
    return (row.on or row.path) if isinstance(row, NoteEntry) else f"session {row.session}"
