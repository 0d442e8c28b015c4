"""The warm process as the command line sees it: what it says of itself."""

from typing import Any

from engram.config.paths import Paths
from engram.warm.client import ask
from engram.warm.holder import find_holder

_ASK_S = 2.0  # for a process that is busy with a question


def warm_state(paths: Paths) -> dict[str, Any] | None:
    """Return what a process that answers for this workspace says of itself; None when none does.

    {"pid", "owner", "since"}, and when it understands this release also {"version", "program", "answered", "idle_s",
    "memory_bytes", "warm", "answers", "differs"}: the requests from here that it answers, and in what it is not like
    this process (see `warm.likeness`).
    """
    reply = ask(paths.root, {"do": "ping"}, _ASK_S)
    if reply is not None and "answer" in reply:
        return dict(reply["answer"])
    held = find_holder(paths)
    return held if "pid" in held else None
