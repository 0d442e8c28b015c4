"""Codex's hooks, as its documentation describes them (developers.openai.com/codex/hooks, versions up to 0.15x).

The shape is Claude Code's: `session_id`, `transcript_path` (or null), `cwd`, `hook_event_name`, `model`, for events of
a turn `turn_id`, within a subagent `agent_id` and `agent_type`. Configuration: hooks.json beside config.toml, event ->
matcher groups -> commands, `timeout` in seconds; Codex asks the user to trust a new command. Versions before 0.145 have
no event for the end of a session, and pass over its entry. Skills are read from `.agents/skills`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.hooks import host as h

_EVENTS = {
    h.SESSION_START: "SessionStart",
    h.USER_PROMPT: "UserPromptSubmit",
    h.PRE_COMPACT: "PreCompact",
    h.STOP: "Stop",
    h.SESSION_END: "SessionEnd",
    h.SUBAGENT_START: "SubagentStart",
    h.SUBAGENT_STOP: "SubagentStop",
}
_MOST_CHARS = 10_000  # of added context; of more, the middle is cut out
_TIMEOUT_S = 30
_END_TIMEOUT_S = 3  # Codex allows the end of a session no more, and complains about it at every start
_SKILL = ".agents/skills/engram/SKILL.md"


def _recognises(fields: h.Fields) -> bool:
    transcript = h.words(fields, "transcript_path") or ""
    return "hook_event_name" in fields and ("turn_id" in fields or "/rollout-" in transcript.replace("\\", "/"))


def _read(fields: h.Fields, _environment: Mapping[str, str]) -> h.Event:
    return h.read_coding_turn("codex", fields.get("cwd"), fields, turn="turn_id")


def _reply(event: str, text: str) -> str:
    return h.additional_context(_EVENTS[event], h.shortened(text, _MOST_CHARS))


def _places(level: str, project: Path, home: Path, environment: Mapping[str, str]) -> h.Places:
    if level == "project":
        return h.Places(project / ".codex/hooks.json", project / _SKILL, project / "AGENTS.md")
    folder = Path(environment.get("CODEX_HOME") or home / ".codex")
    return h.Places(folder / "hooks.json", home / _SKILL, folder / "AGENTS.md")


def _entry(event: str, command: str) -> dict[str, Any]:
    return h.matcher_group(command, timeout=_END_TIMEOUT_S if event == h.SESSION_END else _TIMEOUT_S)


_SAMPLES: dict[str, dict[str, Any]] = {
    h.SESSION_START: {"source": "startup"},
    h.USER_PROMPT: {"prompt": "I prefer short meetings.", "turn_id": "turn-1"},
    h.PRE_COMPACT: {"trigger": "manual", "turn_id": "turn-1"},
    h.STOP: {"stop_hook_active": False, "last_assistant_message": "Done.", "turn_id": "turn-1"},
    h.SESSION_END: {"reason": "other", "turn_id": "turn-1"},
    h.SUBAGENT_START: {"agent_id": "agent-1", "agent_type": "explorer", "turn_id": "turn-1"},
    h.SUBAGENT_STOP: {"agent_id": "agent-1", "agent_type": "explorer", "turn_id": "turn-1"},
}


def _sample(event: str, transcript: str) -> dict[str, Any]:
    common = {"session_id": "engram-check", "transcript_path": transcript, "cwd": str(Path(transcript).parent)}
    return {**common, "hook_event_name": _EVENTS[event], "model": "gpt-5", **_SAMPLES[event]}


HOST = h.Host(
    name="codex",
    title="Codex",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START, h.USER_PROMPT, h.SUBAGENT_START}),
    recognises=_recognises,
    read=_read,
    reply=_reply,
    places=_places,
    entry=_entry,
    sample=_sample,
    note="Codex runs a new hook only after you have trusted it: /hooks in Codex.",
)
