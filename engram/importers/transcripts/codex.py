"""Codex's transcripts: `<home>/sessions/YYYY/MM/DD/rollout-*.jsonl`, as codex-rs writes them (0.2x to 0.77 and later).

Each line is `{"timestamp", "type", "payload"}`: `session_meta` first, `response_item` for what passed between the model
and the program, `event_msg` for what the screen showed, `turn_context`, `compacted`. What was said stands in the
messages among the response items; the events `user_message` and `agent_message` repeat it. Rollouts of early 2025 have
the items bare, behind a first line with `id` and `timestamp`. Messages have no ids: they are known by session and time.

A fork (`forked_from_id`) tells anew what its parent's file tells, from the parent's `session_meta` on, with the times
of the fork; the turns it copies are known by the time in their ids (UUID version 7). In the file of a subagent
(`source`) agents talk to each other.
"""

import re
from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import fields_of
from engram.importers.transcripts.reader import read_blocks
from engram.importers.transcripts.reader import words_of
from engram.importers.transcripts.session_names import project_of
from engram.services.extract.turn_commands import RawTurn

NAME = "codex"

_ENVELOPES = frozenset(["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"])
_ORDERED_ID = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_ITEM_KINDS = {
    **dict.fromkeys(
        ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"),
        reader.TOOL_CALL,
    ),
    **dict.fromkeys(
        ("function_call_output", "custom_tool_call_output", "tool_search_output", "image_generation_call"),
        reader.TOOL_OUTPUT,
    ),
    "reasoning": reader.THINKING,
    **dict.fromkeys(("ghost_snapshot", "other"), reader.META),
    **dict.fromkeys(("compaction", "compaction_summary", "context_compaction"), reader.SUMMARY),
    "agent_message": reader.SUBAGENT,
}
_BEGINNINGS = frozenset(["task_started", "turn_started"])
_EVENT_KINDS = {
    **dict.fromkeys(("user_message", "agent_message"), reader.COPY),
    **dict.fromkeys(("agent_reasoning", "agent_reasoning_raw_content"), reader.THINKING),
}


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether a file's line is one of this program."""
    if words_of(row, "type") in _ENVELOPES and isinstance(row.get("payload"), dict):
        return True
    if row.get("type") == "message":
        return isinstance(row.get("role"), str) and isinstance(row.get("content"), list)
    return row.get("record_type") == "state" or (
        {"id", "timestamp"} <= row.keys() and bool({"instructions", "git"} & row.keys())
    )


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield what was said in a line."""
    kind = words_of(row, "type")
    if source.state.get("copying") and _begins_turn(kind, fields_of(row, "payload")):
        _end_copy(fields_of(row, "payload"), source)
    if kind == "response_item":
        yield from _item(fields_of(row, "payload"), row.get("timestamp"), source)
    elif kind == "event_msg":
        source.left_out[_EVENT_KINDS.get(words_of(fields_of(row, "payload"), "type"), reader.META)] += 1
    elif kind == "session_meta" or (not kind and "id" in row):
        _begin(fields_of(row, "payload") or row, source)
    elif kind == "compacted":
        source.left_out[reader.SUMMARY] += 1
    elif kind in {"turn_context", "world_state", ""}:
        source.left_out[reader.META] += 1
    else:  # a rollout without envelopes
        yield from _item(row, row.get("timestamp"), source)


def _begin(meta: dict[str, Any], source: Source) -> None:
    """Take session and project from the first such line; a fork repeats those of the session that it came from."""
    source.left_out[reader.META] += 1
    if not (session := words_of(meta, "id")):
        return
    if "session" in source.state:
        if session == source.state.get("parent") and _minted_at(source.state["session"]):
            source.state["copying"] = "yes"
        return
    source.state["session"] = session
    source.state["begun"] = words_of(meta, "timestamp")
    source.state["parent"] = words_of(meta, "forked_from_id")
    source.state["by_agent"] = "yes" if "subagent" in fields_of(meta, "source") else ""
    source.note_folder(meta.get("cwd"))
    if project := project_of(meta.get("cwd")):
        source.state["project"] = project


def _begins_turn(kind: str, payload: dict[str, Any]) -> bool:
    return kind == "turn_context" or (kind == "event_msg" and words_of(payload, "type") in _BEGINNINGS)


def _end_copy(payload: dict[str, Any], source: Source) -> None:
    """End what is copied at the first turn that began in the fork, or whose beginning cannot be told.

    Rather twice than not at all: what an old version says of its turns is not enough to know them again.
    """
    begun = _minted_at(words_of(payload, "turn_id"))
    if not begun or begun >= _minted_at(source.state["session"]):
        source.state["copying"] = ""


def _minted_at(identifier: str) -> str:
    """Return the time at which an id was made, as hexadecimal milliseconds that sort; empty when it does not say."""
    found = _ORDERED_ID.fullmatch(identifier)
    return found[1] + found[2] if found else ""


def _item(item: dict[str, Any], at: object, source: Source) -> Iterator[RawTurn]:
    kind = words_of(item, "type")
    if kind != "message":
        source.left_out[_ITEM_KINDS.get(kind, reader.UNKNOWN)] += 1
        return
    role = words_of(item, "role")
    if role not in {reader.USER, reader.ASSISTANT}:
        source.left_out[reader.SYSTEM] += 1
        return
    if source.state.get("copying") or source.state.get("by_agent"):
        source.left_out[reader.COPY if source.state.get("copying") else reader.SUBAGENT] += 1
        return
    text, others = read_blocks(item.get("content"))
    source.left_out.update(others)
    if not text and others:
        return
    session = source.state.get("session") or "main"
    silo = source.silo(NAME, source.state.get("project"), session)
    said_at = at or source.state.get("begun")
    key = f"{NAME} {session} {at or _place(source)}"
    yield from source.turn(silo=silo, role=role, text=text, key=key, ref=item.get("id") or at, at=said_at)


def _place(source: Source) -> str:
    """Return a place for a message without a time: how many messages without one came before it."""
    place = int(source.state.get("place", "0")) + 1
    source.state["place"] = str(place)
    return str(place)
