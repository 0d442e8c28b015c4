"""Stand-ins for the programs that there are presets for: they print what the real ones are documented to print.

`put_program(folder, "claude", "good")` makes an executable of that name. Each call of it is written down beside it, as
JSON: arguments, environment, what it was given, and what lay in its folder.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.heartbeat import agent

CLAUDE_RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "duration_ms": 4210,
    "num_turns": 1,
    "stop_reason": "end_turn",
    "session_id": "3f6e2a9c-9b1b-4b0e-8d3c-0a1f6a2f8f10",
    "total_cost_usd": 0.0125,
    "usage": {
        "input_tokens": 900,
        "cache_creation_input_tokens": 50,
        "cache_read_input_tokens": 50,
        "output_tokens": 200,
        "server_tool_use": {"web_search_requests": 0},
    },
    "permission_denials": [],
}
GEMINI_STATS = {
    "models": {
        "gemini-2.5-flash-lite": {
            "tokens": {"prompt": 100, "candidates": 5, "total": 125, "cached": 0, "thoughts": 20}
        },
        "gemini-2.5-pro": {
            "api": {"totalRequests": 1, "totalErrors": 0, "totalLatencyMs": 900},
            "tokens": {"prompt": 800, "candidates": 90, "total": 900, "cached": 0, "thoughts": 10, "tool": 0},
        },
    },
    "tools": {"totalCalls": 0},
    "files": {"totalLinesAdded": 0},
}


def put_program(folder: Path, name: str, mode: str) -> Path:
    """Make the program and return the file in which its calls stand."""
    folder.mkdir(exist_ok=True)
    calls = folder / f"{name}.calls"
    home = Path(__file__).resolve().parents[3]
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(home)!r})\n"
        f"from tests.heartbeat.child.program import main\nmain({name!r}, {mode!r}, {str(calls)!r})\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return calls


def calls_in(file: Path) -> list[dict[str, Any]]:
    """Return the calls that were written down, in order."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def main(name: str, mode: str, calls: str) -> None:
    """Behave as the program of that name does in that mode."""
    given = sys.stdin.read()
    files = {str(file.relative_to(".")): file.read_text() for file in Path().rglob("*") if file.is_file()}
    call = {"argv": sys.argv[1:], "env": dict(os.environ), "given": given, "files": files, "cwd": str(Path.cwd())}
    with Path(calls).open("a") as file:
        file.write(json.dumps(call) + "\n")
    if mode == "hangs":
        time.sleep(60)
    said, errors, code = PROGRAMS[name](mode, given)
    sys.stdout.write(said)
    sys.stderr.write(errors)
    sys.exit(code)


def answer_to(mode: str, prompt: str) -> str:
    """Return what the model says: in the modes of the scripted agent, else a good answer with talk around it."""
    if mode in {"garbage", "escape", "liar", "echo", "fenced-json"}:
        return agent.reply(mode, prompt)
    return f"Let me look at that.\n\n{agent.reply('good', prompt)}\nTell me if you need more."


def claude(mode: str, prompt: str) -> tuple[str, str, int]:
    result: dict[str, Any] = {**CLAUDE_RESULT, "result": answer_to(mode, prompt)}
    rate = "API Error: Rate limit reached"
    modes: dict[str, Callable[[], tuple[str, str, int]]] = {
        "free": lambda: (json.dumps({**result, "usage": {"input_tokens": 0, "output_tokens": 0}}), "", 0),
        "verbose": lambda: (json.dumps([{"type": "system", "subtype": "init"}, {"type": "assistant"}, result]), "", 0),
        "warns": lambda: (f"warning: a newer version is there\n{json.dumps(result)}\n[done]\n", "", 0),
        "rate-limit": lambda: (json.dumps({**result, "is_error": True, "result": rate, "total_cost_usd": 0}), "", 1),
        "logged-out": lambda: (
            json.dumps({**result, "is_error": True, "result": "Not logged in · Please run /login", "usage": {}}),
            "",
            1,
        ),
        "refuses": lambda: (
            json.dumps({**result, "is_error": True, "stop_reason": "refusal", "result": "API Error: cannot help"}),
            "",
            1,
        ),
        "turns": lambda: (
            json.dumps({**_without(result, "result"), "subtype": "error_max_turns", "is_error": True}),
            "",
            1,
        ),
        "old": lambda: ("", "error: unknown option '--tools'\n", 1),
    }
    return modes.get(mode, lambda: (json.dumps(result) + "\n", "", 0))()


def codex(mode: str, prompt: str) -> tuple[str, str, int]:
    message = {"id": "item_1", "type": "agent_message", "text": answer_to(mode, prompt)}
    start = [{"type": "thread.started", "thread_id": "0199a213-81c0-7800-8aa1"}, {"type": "turn.started"}]
    done = {
        "type": "turn.completed",
        "usage": {
            "input_tokens": 1000,
            "cached_input_tokens": 300,
            "output_tokens": 200,
            "reasoning_output_tokens": 90,
        },
    }
    thinking = {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "**Reading**"}}
    draft = {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "I shall read them."}}
    lost = {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"}
    limit = "You've hit your usage limit. Try again at 8:15 PM."
    events: dict[str, list[dict[str, Any]]] = {
        "rate-limit": [
            *start,
            {"type": "error", "message": limit},
            {"type": "turn.failed", "error": {"message": limit}},
        ],
        "cut": [*start, {"type": "item.completed", "item": message}],
        "old": [
            {"id": "0", "msg": {"type": "task_started"}},
            {"id": "0", "msg": {"type": "agent_message", "message": message["text"]}},
            {
                "id": "0",
                "msg": {
                    "type": "token_count",
                    "info": {"total_token_usage": {"input_tokens": 1000, "output_tokens": 200, "total_tokens": 1200}},
                },
            },
        ],
    }
    good = [*start, thinking, draft, lost, {"type": "item.completed", "item": message}, done]
    lines = [json.dumps(event) for event in events.get(mode, good)]
    return "\n".join(lines) + "\n", "Reading prompt from stdin...\n", 1 if mode == "rate-limit" else 0


def gemini(mode: str, prompt: str) -> tuple[str, str, int]:
    result: dict[str, Any] = {"session_id": "b2b90938", "response": answer_to(mode, prompt), "stats": GEMINI_STATS}
    auth = {"type": "Error", "message": "Please set an Auth method in your settings.json", "code": 41}
    quota = {"type": "TerminalQuotaError", "message": "You have exhausted your daily quota", "code": 429}
    if mode == "logged-out":
        return "", json.dumps({"session_id": "b2b90938", "error": auth}, indent=2) + "\n", 41
    if mode == "rate-limit":
        return json.dumps({"session_id": "b2b90938", "error": quota, "stats": {"models": {}}}, indent=2), "", 1
    if mode == "empty":
        return json.dumps({**result, "response": ""}), "", 0
    return f"Loaded cached credentials.\n{json.dumps(result, indent=2)}\n", "", 0


def _without(result: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != name}


PROGRAMS: dict[str, Callable[[str, str], tuple[str, str, int]]] = {"claude": claude, "codex": codex, "gemini": gemini}
