"""The agent has replied: whether that used what was recalled for it is noted, and its transcript is left. Light."""

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.events import transcript
from engram.hooks.events.recall_use import note_reply
from engram.hooks.log import log
from engram.hooks.outcome import Done


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """See whether the reply used what was recalled for it, and have the transcript taken in."""
    if not event.by_agent:
        try:
            note_reply(paths, event)
        except (OSError, ValueError, KeyError, TypeError) as problem:
            log(paths, f"what the reply used: {problem}")
    return transcript.act(paths, host, event)
