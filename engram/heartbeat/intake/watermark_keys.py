"""The keys of the watermarks of what is read: a note by its path, a session by its name."""

from typing import Final

from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn

NOTE_KEY: Final = "note:"
SESSION_KEY: Final = "session:"


def key_of(row: NoteEntry | Turn) -> str:
    """Return the key of the note or session that something stands in."""
    return NOTE_KEY + row.path if isinstance(row, NoteEntry) else SESSION_KEY + row.session
