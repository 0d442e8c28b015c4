"""Writes invented conversations as Claude Code and Codex leave them on a machine.

python -m tests.newcomer.history HOME [--changes] makes folders for the projects and the transcripts below HOME; then
`HOME=... engram capture --discover` finds them as it would find somebody's own.
"""

import argparse
import datetime as dt
import json
import os
import uuid
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.newcomer.talks import CHANGES
from tests.newcomer.talks import CLAUDE
from tests.newcomer.talks import MONDAY
from tests.newcomer.talks import PAST
from tests.newcomer.talks import Talk

PROJECTS = ("parcels", "tidewatch", "ledger")
PRINTED = "README.md\n M src/main"
_MORNING = dt.time(9, 30, tzinfo=dt.UTC)
_BETWEEN = dt.timedelta(minutes=4)  # two things that are said
_NAMESPACE = uuid.UUID("6f1c2d0e-8a4b-4c55-9d3e-2b7a90c1e4f8")


def write_past(home: Path) -> list[Path]:
    """Write the first four weeks below a home, with a folder for every project; return the transcripts."""
    for project in PROJECTS:
        (folder_of(home, project) / ".git").mkdir(parents=True, exist_ok=True)
    return write_talks(home, PAST)


def write_changes(home: Path) -> list[Path]:
    """Write the fifth week, in which some of what was said before changes; return the transcripts."""
    return write_talks(home, CHANGES)


def write_talks(home: Path, talks: Iterable[Talk], printed: str = PRINTED) -> list[Path]:
    """Write conversations below a home as their programs do; return the transcripts.

    `printed` is what each tool printed that an agent called: most of a real transcript is that.
    """
    files = []
    for talk in talks:
        rows = _claude_rows(home, talk, printed) if talk.program == CLAUDE else _codex_rows(home, talk, printed)
        file = _place(home, talk)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        written = _moment(talk, len(talk.said)).timestamp()
        os.utime(file, (written, written))
        files.append(file)
    return files


def folder_of(home: Path, project: str) -> Path:
    """Return the folder in which somebody works on a project."""
    return home / "code" / project


def after(weeks: int) -> dt.datetime:
    """Return the Saturday morning after so many weeks."""
    return dt.datetime.combine(MONDAY + dt.timedelta(days=7 * weeks - 2), _MORNING)


def _place(home: Path, talk: Talk) -> Path:
    if talk.program == CLAUDE:
        folder = str(folder_of(home, talk.project)).replace("/", "-")
        return home / ".claude" / "projects" / folder / f"{_id(talk)}.jsonl"
    at = _moment(talk, 0)
    name = f"rollout-{at:%Y-%m-%dT%H-%M-%S}-{_id(talk)}.jsonl"
    return home / ".codex" / "sessions" / f"{at:%Y/%m/%d}" / name


def _claude_rows(home: Path, talk: Talk, printed: str) -> Iterator[dict[str, Any]]:
    yield {"type": "summary", "summary": f"Work on {talk.project}", "leafUuid": _id(talk, "summary")}
    before = None
    for number, text in enumerate(talk.said):
        contents: list[Any] = (
            [text] if number % 2 == 0 else [*_work(talk, number, printed), [{"type": "text", "text": text}]]
        )
        for place, content in enumerate(contents):
            own = _id(talk, f"{number}.{place}")
            role = "user" if number % 2 == 0 or _is_result(content) else "assistant"
            yield {
                "parentUuid": before,
                "isSidechain": False,
                "userType": "external",
                "cwd": str(folder_of(home, talk.project)),
                "sessionId": _id(talk),
                "version": "2.1.12",
                "gitBranch": "main",
                "type": role,
                "message": {"role": role, "content": content},
                "uuid": own,
                "timestamp": _iso(_moment(talk, number)),
            }
            before = own


def _work(talk: Talk, number: int, printed: str) -> list[list[dict[str, Any]]]:
    """Return a call of a tool and what came of it, as they stand before an answer."""
    call = f"toolu_{_id(talk, str(number))[:8]}"
    command = f"ls {talk.project} && git status --short"
    used = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    result = {"tool_use_id": call, "type": "tool_result", "content": printed, "is_error": False}
    return [[{"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}], [used], [result]]


def _is_result(content: Any) -> bool:
    return isinstance(content, list) and content[0]["type"] == "tool_result"


def _codex_rows(home: Path, talk: Talk, printed: str) -> Iterator[dict[str, Any]]:
    folder = str(folder_of(home, talk.project))
    begun = _iso(_moment(talk, 0))
    meta = {"id": _id(talk), "timestamp": begun, "cwd": folder, "originator": "codex_cli_rs", "cli_version": "0.77.0"}
    yield _enveloped(begun, "session_meta", {**meta, "instructions": None, "source": "cli"})
    rules = f"# AGENTS.md instructions for {folder}\n\n<INSTRUCTIONS>\nUse two spaces.\n</INSTRUCTIONS>"
    yield _enveloped(begun, "response_item", _message("user", rules))
    for number, text in enumerate(talk.said):
        at = _iso(_moment(talk, number))
        if number % 2 == 0:
            yield _enveloped(at, "turn_context", {"cwd": folder, "model": "gpt-5-codex"})
            yield _enveloped(at, "response_item", _message("user", text))
            yield _enveloped(at, "event_msg", {"type": "user_message", "message": text, "images": []})
            continue
        call = f"call_{number}"
        asked = {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": call}
        yield _enveloped(at, "response_item", asked)
        yield _enveloped(at, "response_item", {"type": "function_call_output", "call_id": call, "output": printed})
        yield _enveloped(at, "event_msg", {"type": "agent_message", "message": text})
        yield _enveloped(at, "response_item", _message("assistant", text))


def _enveloped(at: str, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def _message(role: str, text: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _moment(talk: Talk, number: int) -> dt.datetime:
    day = dt.datetime.combine(MONDAY + dt.timedelta(days=talk.day), _MORNING)
    return day + number * _BETWEEN


def _iso(at: dt.datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.250Z")


def _id(talk: Talk, part: str = "") -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{talk.program} {talk.day} {part}"))


def main() -> None:
    """Write the transcripts below a home."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, help="folder that stands for somebody's home")
    parser.add_argument("--changes", action="store_true", help="the fifth week, too")
    options = parser.parse_args()
    home: Path = options.home.resolve()
    files = write_past(home) + (write_changes(home) if options.changes else [])
    print(f"{len(files)} transcripts below {home}; projects: {', '.join(PROJECTS)}")


if __name__ == "__main__":
    main()
