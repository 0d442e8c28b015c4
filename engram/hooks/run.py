"""What a hook does: reads the host's JSON and spools at most one command. Light, silent, and it never fails its host.

Hosts give `user-prompt` an object with `prompt` and `session_id`; the other events carry nothing that is kept yet.
"""

import json
import os
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.ids import new_id
from engram.base.text import has_control
from engram.base.text import slugify
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.errors import EngramError
from engram.language.secrets import redact
from engram.language.signal import detect
from engram.rules.turn_id import turn_id
from engram.store.spool import Spool

USER_PROMPT = "user-prompt"
IN_RUN = "ENGRAM_CHILD_OF_RUN"  # environment variable of what a heartbeat starts
MAX_INPUT_BYTES = 4 * 1024 * 1024  # of the host's JSON; more is not a prompt
MAX_PROMPT_CHARS = 200_000  # longer text is a file that was pasted, not something said

_LOG_BYTES = 256 * 1024  # size from which hooks.log becomes hooks.log.1
_NO_SESSION = "main"  # where prompts of a host without session ids go


def run_hook(event: str, raw: bytes, workspace_dir: str | None) -> str | None:
    """Act on one event; return the id of the command that was spooled, or None.

    Nothing is kept of an agent that works for the heartbeat: its prompt holds what is in the memory already.
    Whatever goes wrong ends as a line in .engram/hooks.log: a hook that fails would stop the host's agent.
    """
    if os.environ.get(IN_RUN):
        return None
    try:
        paths = find_workspace(workspace_dir)
    except (EngramError, OSError, ValueError):
        return None  # hooks are installed for a whole machine; most folders have no workspace
    try:
        return _spool_prompt(paths, raw) if event == USER_PROMPT else None
    except Exception as problem:  # noqa: BLE001 - the process boundary of hooks
        _log(paths.state / "hooks.log", f"{event}: {type(problem).__name__}: {problem}")
        return None


def _spool_prompt(paths: Paths, raw: bytes) -> str | None:
    host = _host_words(raw)
    prompt = host.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("the host's JSON has no prompt")
    if len(prompt) > MAX_PROMPT_CHARS:
        raise ValueError(f"the prompt is longer than {MAX_PROMPT_CHARS} characters")
    if detect(prompt).signal == "none":
        return None
    envelope = _envelope(_printable(prompt), slugify(str(host.get("session_id") or "")) or _NO_SESSION)
    Spool(paths.spool).put(envelope)
    return str(envelope["id"])


def _host_words(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_INPUT_BYTES:
        raise ValueError(f"the host's JSON is larger than {MAX_INPUT_BYTES >> 20} MiB")
    host = json.loads(raw)
    if not isinstance(host, dict):
        raise TypeError("the host's JSON is not an object")
    return host


def _envelope(prompt: str, session: str) -> dict[str, Any]:
    at = to_iso(utc_now())
    turn = {
        "id": turn_id(session, None, "user", at, prompt),
        "session": session,
        "speaker": "user",
        "at": at,
        "text": prompt,
        "trust": "trusted",
    }
    return {
        "v": 1,
        "id": new_id(),
        "kind": "capture",
        "at": at,
        "actor": "user",
        "args": {"session": session, "turns": [turn]},
        "wants_result": False,
    }


def _printable(prompt: str) -> str:
    """Return the prompt without control characters, which terminals leave in pasted text and the store refuses."""
    return (
        "".join("\N{REPLACEMENT CHARACTER}" if has_control(ch) else ch for ch in prompt)
        if has_control(prompt)
        else prompt
    )


def _log(file: Path, line: str) -> None:
    try:
        if file.exists() and file.stat().st_size > _LOG_BYTES:
            file.replace(file.with_name("hooks.log.1"))
        with file.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{to_iso(utc_now())} {redact(' '.join(line.split())[:500]).text}\n")
    except OSError:
        return  # a full or read-only disk must not stop the host either
