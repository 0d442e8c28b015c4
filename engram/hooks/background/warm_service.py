"""The warm process as the command line sees it: run it, look at it. Heavy only where it runs."""

import os
from typing import Any

from engram.config.paths import Paths
from engram.hooks.log import log
from engram.warm.client import ask
from engram.warm.holder import find_holder

_ASK_S = 2.0  # for a process that is busy with a question


def serve(paths: Paths, idle_s: int | None = None) -> str:
    """Run the warm process until there is a reason to end, log the reason, and return it; raises SettingsError.

    `idle_s` seconds without a question are a reason; without it, those of the settings.
    """
    os.chdir("/")  # the folder in which a host works can be removed while this process lives
    from engram.warm.self_started import serve_alone  # noqa: PLC0415 - heavy

    reason = serve_alone(paths.root, idle_s)
    if paths.state.is_dir():
        log(paths, f"the warm process {os.getpid()} ends: {reason}")
    return reason


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
