"""A subagent stops: what it said last becomes a line in the changelog of its domain. Light."""

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.background import deferred_requests
from engram.hooks.events.agent_context import domain_of
from engram.hooks.outcome import IGNORED
from engram.hooks.outcome import LEFT
from engram.hooks.outcome import Done


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """Leave its status for the changelog."""
    domain = domain_of(paths, event) if host else None
    if domain is None:
        return Done(IGNORED)
    deferred_requests.leave_status(
        paths,
        domain=domain,
        subagent=event.subagent or event.keys[0],
        said=event.said or "",
        session=event.session if event.kind else None,
    )
    deferred_requests.start_taking_in(paths)
    return Done(LEFT)
