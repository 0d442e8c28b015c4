"""Gemini CLI's hooks, as its hooks reference describes them (docs/hooks/reference.md of gemini-cli, 0.26 and later).

Every event has `session_id`, `transcript_path`, `cwd`, `hook_event_name` and `timestamp`. Configuration: `hooks` of
settings.json, event -> definitions -> commands, `timeout` in milliseconds. stdout is JSON or nothing:
`hookSpecificOutput.additionalContext` is shown to the agent. Subagents have no events.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.hooks import host as h

_EVENTS = {
    h.SESSION_START: "SessionStart",
    h.USER_PROMPT: "BeforeAgent",
    h.PRE_COMPACT: "PreCompress",
    h.STOP: "AfterAgent",
    h.SESSION_END: "SessionEnd",
}
_OTHERS = {"BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"}
_OWN = {*_OTHERS, "BeforeAgent", "AfterAgent", "PreCompress"}
_TIMEOUT_MS = 30_000


def _recognises(fields: h.Fields) -> bool:
    event = fields.get("hook_event_name")
    return isinstance(event, str) and (event in _OWN or (event in _EVENTS.values() and "timestamp" in fields))


def _read(fields: h.Fields, environment: Mapping[str, str]) -> h.Event:
    folder = environment.get("GEMINI_PROJECT_DIR") or fields.get("cwd")
    return h.Event(
        session=h.silo("gemini", folder, h.words(fields, "session_id")),
        prompt=h.words(fields, "prompt"),
        transcript=h.words(fields, "transcript_path"),
        said=h.words(fields, "prompt_response"),
        folder=folder if isinstance(folder, str) else None,
    )


def _reply(event: str, text: str) -> str:
    return h.additional_context(_EVENTS[event], text, suppressOutput=True)


def _places(level: str, project: Path, home: Path, environment: Mapping[str, str]) -> h.Places:
    if level == "project":
        folder = project / ".gemini"
        return h.Places(folder / "settings.json", folder / "skills/engram/SKILL.md", project / "GEMINI.md")
    folder = Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini"
    return h.Places(folder / "settings.json", folder / "skills/engram/SKILL.md", folder / "GEMINI.md")


def _entry(event: str, command: str) -> dict[str, Any]:
    return h.matcher_group(command, name=f"engram-{event}", timeout=_TIMEOUT_MS)


_SAMPLES: dict[str, dict[str, Any]] = {
    h.SESSION_START: {"source": "startup"},
    h.USER_PROMPT: {"prompt": "I prefer short meetings."},
    h.PRE_COMPACT: {"trigger": "manual"},
    h.STOP: {"prompt": "I prefer short meetings.", "prompt_response": "Noted.", "stop_hook_active": False},
    h.SESSION_END: {"reason": "exit"},
}


def _sample(event: str, transcript: str) -> dict[str, Any]:
    common = {"session_id": "engram-check", "transcript_path": transcript, "cwd": str(Path(transcript).parent)}
    return {
        **common,
        "hook_event_name": _EVENTS[event],
        "timestamp": "2026-02-24T10:00:00.000Z",
        **_SAMPLES[event],
    }


HOST = h.Host(
    name="gemini",
    title="Gemini CLI",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START, h.USER_PROMPT}),
    recognises=_recognises,
    read=_read,
    reply=_reply,
    places=_places,
    entry=_entry,
    sample=_sample,
)
