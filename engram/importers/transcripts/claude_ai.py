"""The data export of Claude's apps: `conversations.json`, alone or in the zip.

An array of conversations, each with `uuid`, `name` and `chat_messages` in their order. A message has `uuid`, `sender`
(human, assistant), `created_at`, `text`, and since 2025 `content` with blocks (text, thinking, tool_use, tool_result).
Anthropic documents the export, not its schema; this is as observed between 2024 and 2026.
"""

from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import read_blocks
from engram.importers.transcripts.reader import words_of
from engram.services.extract.turn_commands import RawTurn

NAME = "claude-ai"

_ROLES = {"human": reader.USER, "user": reader.USER, "assistant": reader.ASSISTANT}


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether an object is a conversation of this export."""
    return isinstance(row.get("chat_messages"), list)


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield what was said in a conversation."""
    session = words_of(row, "uuid") or "main"
    silo = source.silo(NAME, None, session)
    for message in row["chat_messages"] if recognise(row) else []:
        if isinstance(message, dict):
            yield from _message(message, silo, session, source)
        else:
            source.left_out[reader.UNKNOWN] += 1


def _message(message: dict[str, Any], silo: str, session: str, source: Source) -> Iterator[RawTurn]:
    role = _ROLES.get(words_of(message, "sender"))
    if role is None:
        source.left_out[reader.SYSTEM] += 1
        return
    for field in ("attachments", "files"):
        source.left_out[reader.ATTACHMENT] += len(message[field]) if isinstance(message.get(field), list) else 0
    text, others = read_blocks(message.get("content"))
    source.left_out.update(others)
    words = text or ("" if others else words_of(message, "text"))
    if not words and others:
        return
    name, at = words_of(message, "uuid"), message.get("created_at")
    key = f"{NAME} {name}" if name else f"{NAME} {session} {at}"
    yield from source.turn(silo=silo, role=role, text=words, key=key, ref=name, at=at, is_clean=True)
