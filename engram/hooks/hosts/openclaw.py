"""OpenClaw's hooks, as its documentation describes them (docs/automation/hooks.md of openclaw, 2026).

A hook is a folder with HOOK.md and a handler that the gateway loads; it is enabled with `openclaw hooks enable`. Our
handler hands each event on as `{"type", "action", "sessionKey", "timestamp", "context"}`, without what cannot be
written as JSON, and only that much of `context` as is read here. `agent:bootstrap` may add to the files that the agent
reads at start; no event lets a handler add to a single prompt, so nothing is recalled for it. The agent's main session
(`agent:ID:main`) is its owner's own. Whoever writes in any other chat, also a direct one, may be somebody else: the
host tells by which name the chat knows them, which they choose themselves.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.hooks import host as h
from engram.importers.transcripts.openclaw_chats import agent_of_main
from engram.importers.transcripts.openclaw_chats import chat_id

_EVENTS = {
    h.SESSION_START: "agent:bootstrap",
    h.USER_PROMPT: "message:preprocessed",
    h.PRE_COMPACT: "session:compact:before",
    h.STOP: "command:stop",
    h.SESSION_END: "command:reset",
}
_MORE = {"command:new": h.SESSION_END, "session:end": h.SESSION_END}  # the host's other names of our events
_TYPES = frozenset({"command", "session", "agent", "gateway", "message"})


def _recognises(fields: h.Fields) -> bool:
    return fields.get("type") in _TYPES and isinstance(fields.get("sessionKey"), str)


def _read(fields: h.Fields, _environment: Mapping[str, str]) -> h.Event:
    given = fields.get("context")
    context: dict[str, Any] = given if isinstance(given, dict) else {}
    key = h.words(fields, "sessionKey")
    if key is None:
        raise ValueError("the event names no session")  # else whoever wrote would be taken for the owner
    main_of = agent_of_main(key)
    others_read = main_of is None or bool(context.get("isGroup") or context.get("groupId"))
    threads = [f"{channel}:{chat}" for channel, chat in [_chat_of(context)] if channel and chat]
    return h.Event(
        session=h.silo("openclaw", None, chat_id(key)),
        prompt=h.words(context, "transcript", "body", "content", "bodyForAgent"),
        transcript=h.words(context, "sessionFile"),
        keys=(key, *threads),
        turn=h.words(context, "messageId"),
        kind=h.GROUP if others_read else None,
        speaker=h.words(context, "senderName", "senderUsername", "senderId", "from") if others_read else None,
        main_of=main_of,
        by_agent=":subagent:" in key,
    )


def _chat_of(context: h.Fields) -> tuple[str | None, str | None]:
    return h.words(context, "channelId", "provider"), h.words(context, "conversationId", "groupId")


def _reply(_event: str, text: str) -> str:
    return json.dumps({"context": text}, ensure_ascii=False)


def _places(level: str, project: Path, home: Path, environment: Mapping[str, str]) -> h.Places:
    if level == "project":
        return h.Places(project / "hooks/engram", project / "skills/engram/SKILL.md", project / "AGENTS.md")
    folder = Path(environment.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
    return h.Places(folder / "hooks/engram", folder / "skills/engram/SKILL.md")


_MANIFEST = """---
name: engram
description: "Remembers what is said, with Engram"
metadata:
  {{ "openclaw": {{ "emoji": "🧠", "events": {events} }} }}
---

# Engram

Hands events to `engram hooks run` and adds what Engram knows to the files that the agent reads at start. Made by
`engram hooks install openclaw`; `engram hooks uninstall openclaw` removes it.
"""
_HANDLER = """// Made by `engram hooks install openclaw`; `engram hooks uninstall openclaw` removes it.
import {{ spawn }} from "node:child_process";
import path from "node:path";

const COMMANDS = {commands};
const KEPT = ["from", "content", "body", "bodyForAgent", "transcript", "channelId", "provider", "conversationId",
  "messageId", "senderId", "senderName", "senderUsername", "isGroup", "groupId", "sessionId"];

function run(command, payload) {{
  return new Promise((resolve) => {{
    const child = spawn("/bin/sh", ["-c", command], {{ stdio: ["pipe", "pipe", "ignore"] }});
    let said = "";
    child.stdout.on("data", (data) => {{ said += data; }});
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(said));
    child.stdin.on("error", () => {{}});
    child.stdin.end(JSON.stringify(payload));
  }});
}}

export default async function handler(event) {{
  const command = COMMANDS[`${{event.type}}:${{event.action}}`];
  if (!command) return;
  const given = event.context ?? {{}};
  const context = Object.fromEntries(KEPT.filter((key) => key in given).map((key) => [key, given[key]]));
  const entry = given.previousSessionEntry ?? given.sessionEntry;
  if (entry?.sessionFile) context.sessionFile = entry.sessionFile;
  const said = await run(command, {{
    type: event.type, action: event.action, sessionKey: event.sessionKey, timestamp: event.timestamp, context,
  }});
  if (event.type !== "agent" || !said || !Array.isArray(given.bootstrapFiles)) return;
  try {{
    const content = JSON.parse(said).context;
    const folder = given.workspaceDir ?? ".";
    const known = given.bootstrapFiles.find((file) => file.name === "MEMORY.md" && !file.missing);
    if (known) known.content = `${{known.content ?? ""}}\\n\\n${{content}}`;
    else given.bootstrapFiles.push({{
      name: "MEMORY.md", path: path.join(folder, "MEMORY.md"), content, missing: false,
    }});
  }} catch {{}}
}}
"""


def _files(commands: Mapping[str, str]) -> dict[str, str]:
    ours = {name: event for event, name in _EVENTS.items()} | _MORE
    by_name = {name: commands[event] for name, event in ours.items()}
    return {
        "HOOK.md": _MANIFEST.format(events=json.dumps(list(by_name))),
        "handler.js": _HANDLER.format(commands=json.dumps(by_name, indent=2)),
    }


_SAMPLES: dict[str, dict[str, Any]] = {
    h.USER_PROMPT: {"body": "I prefer short meetings.", "channelId": "telegram", "messageId": "1", "isGroup": False},
}


def _sample(event: str, transcript: str) -> dict[str, Any]:
    kind, _, action = _EVENTS[event].partition(":")
    context = {"sessionFile": transcript, **_SAMPLES.get(event, {})}
    at = "2026-02-24T10:00:00.000Z"
    return {"type": kind, "action": action, "sessionKey": "agent:main:main", "timestamp": at, "context": context}


def _entry(event: str, command: str) -> dict[str, Any]:
    return {"event": _EVENTS[event], "command": command}


HOST = h.Host(
    name="openclaw",
    title="OpenClaw",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START}),
    recognises=_recognises,
    read=_read,
    reply=_reply,
    places=_places,
    entry=_entry,
    sample=_sample,
    files=_files,
    note="Then enable it: openclaw hooks enable engram (and restart the gateway).",
)
