"""Cursor's hooks, as its documentation describes them (cursor.com/docs/agent/hooks, Cursor 2.x and 3.x).

Every event has `conversation_id`, `generation_id`, `hook_event_name`, `workspace_roots` and, of late, `cursor_version`
and `transcript_path`. Configuration: hooks.json with `version` 1, event -> commands that a shell runs, `timeout` in
seconds. Only `sessionStart` may add to what the agent reads, as `additional_context`; a prompt can only be stopped, so
nothing is recalled for it. Its transcripts have no documented form. Cursor also runs Claude Code's entries; those leave
its events to these here.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.hooks import host as h

_EVENTS = {
    h.SESSION_START: "sessionStart",
    h.USER_PROMPT: "beforeSubmitPrompt",
    h.PRE_COMPACT: "preCompact",
    h.STOP: "stop",
    h.SESSION_END: "sessionEnd",
    h.SUBAGENT_STOP: "subagentStop",
}
_TIMEOUT_S = 30
_SKILL = ".cursor/skills/engram/SKILL.md"


def _recognises(fields: h.Fields) -> bool:
    return "cursor_version" in fields or ("conversation_id" in fields and "hook_event_name" in fields)


def _read(fields: h.Fields, _environment: Mapping[str, str]) -> h.Event:
    roots = fields.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else fields.get("cwd")
    kind = h.words(fields, "subagent_type")
    return h.Event(
        session=h.silo("cursor", folder, h.words(fields, "conversation_id", "session_id")),
        prompt=h.words(fields, "prompt"),
        transcript=h.words(fields, "transcript_path"),
        subagent=h.words(fields, "subagent_id", "tool_call_id"),
        keys=(kind,) if kind else (),
        said=h.words(fields, "summary"),
        turn=h.words(fields, "generation_id"),
        folder=folder if isinstance(folder, str) else None,
        by_agent="subagent_id" in fields or bool(fields.get("parent_conversation_id")),
    )


def _reply(_event: str, text: str) -> str:
    return json.dumps({"additional_context": text}, ensure_ascii=False)


def _places(level: str, project: Path, home: Path, _environment: Mapping[str, str]) -> h.Places:
    root = project if level == "project" else home
    instructions = project / "AGENTS.md" if level == "project" else None
    return h.Places(root / ".cursor/hooks.json", root / _SKILL, instructions)


def _entry(_event: str, command: str) -> dict[str, Any]:
    return {"command": command, "timeout": _TIMEOUT_S}


_SAMPLES: dict[str, dict[str, Any]] = {
    h.SESSION_START: {"session_id": "engram-check", "is_background_agent": False, "composer_mode": "agent"},
    h.USER_PROMPT: {"prompt": "I prefer short meetings.", "attachments": []},
    h.PRE_COMPACT: {"trigger": "manual"},
    h.STOP: {"status": "completed", "loop_count": 0},
    h.SESSION_END: {"session_id": "engram-check", "reason": "completed"},
    h.SUBAGENT_STOP: {"subagent_type": "explore", "status": "completed", "summary": "Done."},
}


def _sample(event: str, transcript: str) -> dict[str, Any]:
    return {
        "conversation_id": "engram-check",
        "generation_id": "generation-1",
        "hook_event_name": _EVENTS[event],
        "cursor_version": "3.0.0",
        "workspace_roots": [str(Path(transcript).parent)],
        "transcript_path": transcript,
        **_SAMPLES[event],
    }


HOST = h.Host(
    name="cursor",
    title="Cursor",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START}),
    recognises=_recognises,
    read=_read,
    reply=_reply,
    places=_places,
    entry=_entry,
    sample=_sample,
    first={"version": 1},
    has_transcripts=False,
)
