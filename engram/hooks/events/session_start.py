"""A session begins: its agent is given its context, and the first prompt is prepared for. Light."""

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.background import deferred_requests
from engram.hooks.events.agent_context import context_for
from engram.hooks.events.prompt_recall import start_ahead
from engram.hooks.events.shown import show
from engram.hooks.log import log
from engram.hooks.outcome import Done


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """Give the context."""
    if deferred_requests.has_requests(paths):  # what took them in last time was ended before it was done
        deferred_requests.start_taking_in(paths)
    done = show(paths, host, h.SESSION_START, event, context_for)
    if host is not None and h.USER_PROMPT in host.listens and not event.by_agent:
        try:
            start_ahead(paths)
        except OSError as problem:
            log(paths, f"{h.SESSION_START}: {problem}")
    return done
