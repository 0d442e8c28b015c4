"""A transcript has grown: what is new in it is left to be taken in. Light."""

from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.background import deferred_requests
from engram.hooks.outcome import IGNORED
from engram.hooks.outcome import LEFT
from engram.hooks.outcome import Done


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """Leave the transcript."""
    if host is None or not host.has_transcripts or event.transcript is None or event.by_agent:
        return Done(IGNORED)
    if not deferred_requests.leave_transcript(
        paths, host=host.name, transcript=event.transcript, session=event.session
    ):
        return Done(IGNORED)  # nothing was said yet
    deferred_requests.start_taking_in(paths)
    return Done(LEFT)
