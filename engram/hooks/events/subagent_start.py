"""A subagent begins: it is given the prompt of its domain, if it works for one. Light."""

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.events.agent_context import domain_context_for
from engram.hooks.events.shown import show
from engram.hooks.outcome import Done


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """Give the domain's prompt."""
    return show(paths, host, h.SUBAGENT_START, event, domain_context_for)
