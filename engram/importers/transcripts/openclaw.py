"""OpenClaw's transcripts: `<state>/agents/<agent>/sessions/<session>.jsonl`, the session files of pi (versions 1 to 3).

The first line is `{"type": "session", "version", "id", "timestamp", "cwd"}`; each `message` line has `id`, `parentId`,
`timestamp` and a `message` with `role` (user, assistant, toolResult, bashExecution, custom) and `content`. Lines form a
tree; all branches were said, and all are read. A chat's messages carry metadata of the channel above what was said.

A transcript whose chat is known goes where hooks keep that chat. All but the main session of the workspace's agent is
kept apart, also what cannot be told: others may have spoken there.
"""

import re
from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.injected import INJECTED
from engram.importers.transcripts.injected import NOTICE
from engram.importers.transcripts.openclaw_chats import agent_of_main
from engram.importers.transcripts.openclaw_chats import chat_id
from engram.importers.transcripts.openclaw_chats import is_own
from engram.importers.transcripts.openclaw_chats import key_of
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import fields_of
from engram.importers.transcripts.reader import read_blocks
from engram.importers.transcripts.reader import words_of
from engram.importers.transcripts.session_names import project_of
from engram.services.extract.turn_commands import RawTurn

NAME = "openclaw"

_AGENT = re.compile(r"/agents/([^/]{1,100})/sessions/[^/]*$")
_META_TYPES = frozenset(
    ["model_change", "thinking_level_change", "custom", "label", "session_info", "usage", "ephemeral", "leaf"]
)
_ROLE_KINDS = {
    **dict.fromkeys(("toolResult", "bashExecution"), reader.TOOL_OUTPUT),
    **dict.fromkeys(("custom", "hookMessage"), INJECTED),
    **dict.fromkeys(("branchSummary", "compactionSummary"), reader.SUMMARY),
    "system": reader.SYSTEM,
}
_FENCE = "```"
_METADATA = re.compile(r"[ \t]*[A-Z][\w' -]{0,60} \(untrusted(?: metadata|, for context)\):[ \t]*\r?\n[ \t]*```")
_STAMP = re.compile(r"\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: [A-Z]{1,5}[+\-:\d]{0,6})?\][ \t]*")
_MESSAGE_ID = re.compile(r"^\[message_id: [^\]\n]{1,200}\][ \t]*$\n?", re.MULTILINE)
_REPLY_TAG = re.compile(r"\[\[\s?(?:reply_to_current|reply_to: ?[^\]\n]{1,100}|audio_as_voice)\s?\]\][ \t]*")
_SILENT = frozenset(["NO_REPLY", "HEARTBEAT_OK"])
_HEARTBEAT = "Read HEARTBEAT.md if it exists"


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether a file's line is one of this program."""
    if row.get("type") == "session":
        return "id" in row and "timestamp" in row
    return row.get("type") == "message" and isinstance(row.get("message"), dict) and "role" in row["message"]


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield what was said in a line."""
    kind = words_of(row, "type")
    if kind == "message":
        yield from _message(row, fields_of(row, "message"), source)
    elif kind == "session":
        source.left_out[reader.META] += 1
        if "session" not in source.state and words_of(row, "id"):
            source.state["session"] = words_of(row, "id")
            source.note_folder(row.get("cwd"))
            source.state["project"] = _agent_of(source.path) or project_of(row.get("cwd")) or ""
            source.state["chat"] = key_of(source.path, source.state["session"]) or ""
    elif kind in {"compaction", "branch_summary"}:
        source.left_out[reader.SUMMARY] += 1
    elif kind in {"custom_message", "context_transform", "context_edit"}:
        source.left_out[INJECTED] += 1
    else:
        source.left_out[reader.META if kind in _META_TYPES else reader.UNKNOWN] += 1


def _message(row: dict[str, Any], message: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    role = words_of(message, "role")
    if role not in {reader.USER, reader.ASSISTANT}:
        source.left_out[_ROLE_KINDS.get(role, reader.UNKNOWN)] += 1
        return
    text, others = read_blocks(message.get("content"))
    source.left_out.update(others)
    if not text and others:
        return
    words = _typed(text, source) if role == reader.USER else _REPLY_TAG.sub("", text)
    if text.strip() and not words.strip():
        return
    if words.strip() in _SILENT or words.lstrip().startswith(_HEARTBEAT):
        source.left_out[NOTICE] += 1
        return
    at = row.get("timestamp") or message.get("timestamp")
    key = f"{NAME} {words_of(row, 'id')} {at}"
    yield from source.turn(silo=_silo(source), role=role, text=words, key=key, ref=row.get("id"), at=at)


def _silo(source: Source) -> str:
    """Return the session that a transcript goes to, and note it when it is kept apart."""
    chat = source.state.get("chat")
    project, session = (None, chat_id(chat)) if chat else (source.state.get("project"), source.state.get("session"))
    silo = source.silo(NAME, project, session or "main")
    if source.session is None and not is_own(agent_of_main(chat or ""), source.own_agent):
        source.kept_apart.add(silo)
    return silo


def _typed(text: str, source: Source) -> str:
    """Return what a person sent, without the channel's metadata above it."""
    rest = text.lstrip()
    while True:
        stamp = _STAMP.match(rest)
        begin = stamp.end() if stamp else 0
        block = _METADATA.match(rest, begin)
        end = rest.find(_FENCE, block.end()) if block else -1
        if end < 0:
            return _MESSAGE_ID.sub("", rest[begin:])
        source.left_out[INJECTED] += 1
        rest = rest[end + len(_FENCE) :].lstrip()


def _agent_of(path: str | None) -> str | None:
    found = _AGENT.search((path or "").replace("\\", "/"))
    return found[1] if found else None
