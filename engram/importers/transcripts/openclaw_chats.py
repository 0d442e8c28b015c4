"""OpenClaw's chats: what each is called here, whose it is, and which one a transcript belongs to. Light: hooks use it.

A session key is `agent:ID:main` for the main session of an agent, where the owner and the agent talk, and
`agent:ID:CHANNEL:KIND:PEER` and the like for all others (docs/concepts/session.md and channel-routing.md of openclaw).
`sessions.json` beside the transcripts maps each key to its entry, whose `sessionId` is that of the transcript that is
written to now; what came before a reset has no entry.
"""

import functools
import re
from pathlib import Path

from engram.base.disk.given_files import read_given
from engram.base.json_values import load_json
from engram.base.text import slugify
from engram.importers.transcripts.session_names import hashed_id

_MAIN = re.compile(r"agent:([^:]+):main")
_DEFAULT_AGENT = "main"  # what OpenClaw calls an agent that was given no other name, whatever Engram calls it
_PLAIN_BYTES = 60
_LIKE_HASHED = re.compile(r"-[0-9a-f]{12}")
_MOST_BYTES = 64 << 20  # of a sessions.json


def chat_id(key: str) -> str:
    """Return what a chat is called: its key with dashes, or, where another could be called that, its hash behind it."""
    plain = key.replace(":", "-")
    fits = slugify(key) == plain and len(plain.encode()) <= _PLAIN_BYTES
    return plain if fits and "-" not in key and not _LIKE_HASHED.fullmatch(plain[-13:]) else hashed_id(key)


def agent_of_main(key: str) -> str | None:
    """Return the agent whose main session a key names; None for every other chat."""
    found = _MAIN.fullmatch(key)
    return found[1] if found else None


def is_own(agent: str | None, own_agent: str) -> bool:
    """Tell whether an agent of OpenClaw's is the one that owns the workspace (setting `agent`)."""
    return agent in {_DEFAULT_AGENT, own_agent}


def key_of(transcript: str | None, session_id: str) -> str | None:
    """Return the session key of the transcript with this id; None when it cannot be told, or is more than one."""
    if transcript is None:
        return None
    store = Path(transcript).with_name("sessions.json")
    try:
        status = store.stat()
    except OSError:
        return None
    keys = _keys_by_session(str(store), status.st_mtime_ns, status.st_size).get(session_id, [])
    return keys[0] if len(keys) == 1 else None


@functools.lru_cache(maxsize=4)
def _keys_by_session(store: str, _mtime_ns: int, size: int) -> dict[str, list[str]]:
    """Return the keys by session id; read once for all transcripts of a folder."""
    if size > _MOST_BYTES:
        return {}
    try:
        entries = load_json(read_given(store))
    except (OSError, ValueError):
        return {}
    found: dict[str, list[str]] = {}
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict) and isinstance(entry.get("sessionId"), str):
            found.setdefault(entry["sessionId"], []).append(key)
    return found
