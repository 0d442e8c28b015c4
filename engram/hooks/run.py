"""What a hook does: reads the host's JSON, spools what is worth keeping, and gives the host's agent what it asks for.

Light, quiet, and it never fails its host: what goes wrong is a line in .engram/hooks.log. Heavy work is left to a
process of its own.
"""

import importlib
import os
import sys

from engram.base.json_values import load_json
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.errors import EngramError
from engram.hooks import host as h
from engram.hooks.hosts import load_host
from engram.hooks.hosts import recognise
from engram.hooks.log import log
from engram.hooks.log import note_firing
from engram.hooks.outcome import IGNORED
from engram.hooks.outcome import REFUSED
from engram.hooks.outcome import Done

IN_RUN = "ENGRAM_CHILD_OF_RUN"  # environment variable of what a heartbeat starts
MAX_INPUT_BYTES = 4 * 1024 * 1024  # of the host's JSON; more is not a prompt

_ACTS = {  # event -> the module of hooks.events whose `act` is called; no other one is loaded
    h.SESSION_START: "session_start",
    h.USER_PROMPT: "user_prompt",
    h.PRE_COMPACT: "transcript",
    h.STOP: "reply",
    h.SESSION_END: "reply",
    h.SUBAGENT_START: "subagent_start",
    h.SUBAGENT_STOP: "subagent_stop",
}
_UNKNOWN_HOST = "unknown"
_PIECE = 1 << 20  # bytes that are read at a time of what is too long to be looked at


def run_hook(event: str, raw: bytes, workspace_dir: str | None, host_name: str | None = None) -> Done | None:
    """Act on one event; return what became of it, or None where hooks have nothing to do.

    Nothing is kept of an agent that works for the heartbeat: its prompt holds what is in the memory already.
    """
    if os.environ.get(IN_RUN):
        return None
    try:
        paths = find_workspace(workspace_dir)
    except (EngramError, OSError, ValueError):
        return None  # hooks are installed for a whole machine; most folders have no workspace
    try:
        return _act(paths, event, raw, host_name)
    except Exception as problem:  # noqa: BLE001 - the process boundary of hooks
        log(paths, f"{event}: {type(problem).__name__}: {problem}")
        return Done(REFUSED)


def read_event() -> bytes:
    """Return standard input, or its beginning when it is too long; the rest is read, too: the host is writing it.

    Nothing when it cannot be read: no event is nothing, and the log will say so.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    try:
        raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        while len(raw) > MAX_INPUT_BYTES and sys.stdin.buffer.read(_PIECE):
            pass
    except OSError:
        return b""
    return raw


def _act(paths: Paths, event: str, raw: bytes, host_name: str | None) -> Done:
    act = _ACTS.get(event)
    if act is None:
        return Done(IGNORED)
    fields = _fields(raw)
    host = load_host(host_name) if host_name else recognise(fields)
    if host is not None and host.name == "claude-code" and "cursor_version" in fields:
        return Done(IGNORED)  # Cursor runs the entries of Claude Code, too; it has its own
    note_firing(paths, host.name if host else _UNKNOWN_HOST, event)
    heard = (host.read if host else h.read_plainly)(fields, os.environ)
    if host is not None and (heard.kind is not None or heard.main_of is not None):
        from engram.hooks.events import channel_sessions  # noqa: PLC0415 - 8 ms, and few hosts have many conversations

        heard = channel_sessions.of_the_workspace(paths, heard)
        channel_sessions.tell_of_chat(paths, host.name, heard)
    done: Done = importlib.import_module(f"engram.hooks.events.{act}").act(paths, host, heard)
    return done


def _fields(raw: bytes) -> dict[str, object]:
    if len(raw) > MAX_INPUT_BYTES:
        raise ValueError(f"the host's JSON is larger than {MAX_INPUT_BYTES >> 20} MiB")
    fields = load_json(raw)
    if not isinstance(fields, dict):
        raise TypeError("the host's JSON is not an object")
    return fields
