"""What became of one event. Light."""

from typing import NamedTuple

REFUSED = "refused"  # it could not be read or done; the log says why
IGNORED = "ignored"  # nothing is done at such an event
SHOWN = "shown"  # the agent was given something
LEFT = "left"  # work was left for later


class Done(NamedTuple):
    """What became of one event."""

    outcome: str
    command_ids: tuple[str, ...] = ()  # of the commands that were spooled
    stdout: str = ""  # what the host asked for
