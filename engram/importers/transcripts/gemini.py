"""Gemini CLI's transcripts: `~/.gemini/tmp/<project>/chats/session-*.json` and, from 0.3x on, `.jsonl`.

The older shape is one object with `sessionId`, `projectHash`, `startTime` and `messages`. The newer one is a log of the
same object: a first line without messages, one line per message (written again in full when it changes), lines
`{"$set": ...}` which change fields, and `{"$rewindTo": id}` which takes back that message and all after it. Each
message has `id`, `timestamp`, `type` (user, gemini, info, error, warning) and `content`. See chat recording in the
program's docs.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.injected import NOTICE
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import read_blocks
from engram.importers.transcripts.reader import words_of
from engram.importers.transcripts.session_names import project_of
from engram.services.extract.turn_commands import RawTurn

NAME = "gemini"

_REWIND = "$rewindTo"
_SET = "$set"
_ROLES = {"user": reader.USER, "gemini": reader.ASSISTANT}


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether an object is a session of this program, or the first line of one."""
    return "sessionId" in row and bool({"projectHash", "startTime"} & row.keys()) and "type" not in row


def read(rows: Iterable[dict[str, Any]], source: Source) -> Iterator[RawTurn]:
    """Yield what was said and not taken back."""
    session: dict[str, Any] = {}
    messages: dict[str, dict[str, Any]] = {}
    for row in rows:
        _replay(row, session, messages, source)
    if session.get("kind") == "subagent":
        source.left_out[reader.SUBAGENT] += len(messages)
        return
    folders = session.get("directories")
    source.note_folder(folders[0] if isinstance(folders, list) and folders else None)
    project = project_of(folders[0]) if isinstance(folders, list) and folders else None
    for message in messages.values():
        yield from _message(message, words_of(session, "sessionId") or "main", project, source)


def _replay(row: dict[str, Any], session: dict[str, Any], messages: dict[str, dict[str, Any]], source: Source) -> None:
    if isinstance(target := row.get(_REWIND), str):
        ids = list(messages)
        for gone in ids[ids.index(target) :] if target in messages else []:
            source.left_out[reader.BRANCH] += 1
            del messages[gone]
    elif isinstance(row.get("id"), str):
        messages[row["id"]] = row
    elif "type" in row:  # a message that nothing can name
        source.left_out[reader.UNKNOWN] += 1
    else:
        patch = row[_SET] if isinstance(row.get(_SET), dict) else row
        session.update(patch)
        # A log's `$set` of all messages is the context after a compression: what was said before it stays said.
        for message in patch["messages"] if isinstance(patch.get("messages"), list) else []:
            if isinstance(message, dict) and isinstance(message.get("id"), str):
                messages[message["id"]] = message
            else:
                source.left_out[reader.UNKNOWN] += 1


def _message(message: dict[str, Any], session: str, project: str | None, source: Source) -> Iterator[RawTurn]:
    role = _ROLES.get(words_of(message, "type"))
    if role is None:
        source.left_out[NOTICE] += 1
        return
    for field, kind in (("toolCalls", reader.TOOL_CALL), ("thoughts", reader.THINKING)):
        source.left_out[kind] += len(message[field]) if isinstance(message.get(field), list) else 0
    text, others = read_blocks(message.get("content"))
    source.left_out.update(others)
    if not text and (others or message.get("toolCalls")):
        return
    silo = source.silo(NAME, project, session)
    key = f"{NAME} {session} {message['id']}"
    yield from source.turn(silo=silo, role=role, text=text, key=key, ref=message["id"], at=message.get("timestamp"))
