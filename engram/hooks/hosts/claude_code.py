"""Claude Code's hooks, as its hooks reference describes them (code.claude.com/docs/en/hooks, versions 2.0 to 2.1).

Every event has `session_id`, `transcript_path`, `cwd` and `hook_event_name`; one that fires within a subagent has
`agent_id` and `agent_type` besides. Configuration: `hooks` of settings.json, event -> matcher groups -> commands that a
shell runs, `timeout` in seconds. What is printed as `hookSpecificOutput.additionalContext` is shown to the agent. A
project's entries go into settings.local.json, which is not shared: they hold paths of this machine.
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
_MOST_CHARS = 10_000  # of added context; more is moved into a file that the agent may or may not read
_TIMEOUT_S = 30


def _recognises(fields: h.Fields) -> bool:
    return fields.get("hook_event_name") in {*_EVENTS.values(), "PostToolUse"} and "transcript_path" in fields


def _read(fields: h.Fields, environment: Mapping[str, str]) -> h.Event:
    folder = environment.get("CLAUDE_PROJECT_DIR") or fields.get("cwd")
    return h.read_coding_turn("claude-code", folder, fields, turn="prompt_id")


def _reply(event: str, text: str) -> str:
    return h.additional_context(_EVENTS[event], h.shortened(text, _MOST_CHARS))


def _places(level: str, project: Path, home: Path, environment: Mapping[str, str]) -> h.Places:
    if level == "project":
        folder = project / ".claude"
        return h.Places(folder / "settings.local.json", folder / "skills/engram/SKILL.md", project / "CLAUDE.md")
    folder = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    return h.Places(folder / "settings.json", folder / "skills/engram/SKILL.md", folder / "CLAUDE.md")


def _entry(_event: str, command: str) -> dict[str, Any]:
    return h.matcher_group(command, timeout=_TIMEOUT_S)


_SAMPLES: dict[str, dict[str, Any]] = {
    h.SESSION_START: {"source": "startup", "model": "claude-sonnet-4-5"},
    h.PRE_COMPACT: {"trigger": "manual", "custom_instructions": ""},
    h.STOP: {"stop_hook_active": False, "last_assistant_message": "Done."},
    h.SESSION_END: {"reason": "prompt_input_exit"},
    h.SUBAGENT_START: {"agent_id": "agent-1", "agent_type": "Explore"},
    h.SUBAGENT_STOP: {"agent_id": "agent-1", "agent_type": "Explore", "stop_hook_active": False},
}


def _sample(event: str, transcript: str) -> dict[str, Any]:
    common = {"session_id": "engram-check", "transcript_path": transcript, "cwd": str(Path(transcript).parent)}
    prompt = {"prompt": "I prefer short meetings."} if event == h.USER_PROMPT else {}
    return {**common, "hook_event_name": _EVENTS[event], **_SAMPLES.get(event, {}), **prompt}


HOST = h.Host(
    name="claude-code",
    title="Claude Code",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START, h.USER_PROMPT, h.SUBAGENT_START}),
    recognises=_recognises,
    read=_read,
    reply=_reply,
    places=_places,
    entry=_entry,
    sample=_sample,
    program="claude",
)
