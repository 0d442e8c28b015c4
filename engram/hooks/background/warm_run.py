"""The warm process that hooks start: run until there is a reason to end, which the log tells."""

import os

from engram.config.paths import Paths
from engram.hooks.log import log
from engram.warm.self_started import serve_alone


def serve(paths: Paths, idle_s: int | None = None) -> str:
    """Run the warm process until there is a reason to end, log the reason, and return it; raises SettingsError.

    `idle_s` seconds without a question are a reason; without it, those of the settings.
    """
    os.chdir("/")  # the folder in which a host works can be removed while this process lives
    reason = serve_alone(paths.root, idle_s)
    if paths.state.is_dir():
        log(paths, f"the warm process {os.getpid()} ends: {reason}")
    return reason
