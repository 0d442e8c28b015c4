"""The hosts whose hooks call Engram, one small file each."""

import importlib

from engram.hooks.host import Fields
from engram.hooks.host import Host

NAMES = ("claude-code", "codex", "gemini", "cursor", "openclaw")
_BY_THEIR_FIELDS = ("openclaw", "cursor", "gemini", "codex", "claude-code")  # those with fields of their own first


def load_host(name: str) -> Host:
    """Return a host's adapter; raise KeyError when there is none of that name."""
    if name not in NAMES:
        raise KeyError(name)
    host: Host = importlib.import_module(f"engram.hooks.hosts.{name.replace('-', '_')}").HOST
    return host


def recognise(fields: Fields) -> Host | None:
    """Return the host that sends such fields, or None."""
    return next((host for name in _BY_THEIR_FIELDS if (host := load_host(name)).recognises(fields)), None)
