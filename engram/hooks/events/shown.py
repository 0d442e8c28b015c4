"""What a host shows its agent of what a hook prints. Light."""

from collections.abc import Callable

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.log import log
from engram.hooks.outcome import IGNORED
from engram.hooks.outcome import SHOWN
from engram.hooks.outcome import Done


def show(paths: Paths, host: h.Host | None, name: str, event: h.Event, source: Callable[[Paths, h.Event], str]) -> Done:
    """Give the agent what a source has for it; a host that would not show it, or is not known, is told nothing."""
    if host is None or name not in host.listens:
        return Done(IGNORED)
    try:
        text = source(paths, event)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        log(paths, f"{name}: {problem}")
        return Done(IGNORED)
    stdout = host.reply(name, text) if text else ""
    return Done(SHOWN if stdout else IGNORED, stdout=stdout)
