"""Where a shared journal lies. Light: its driver is not loaded here."""

from typing import NamedTuple


class Server(NamedTuple):
    """Where a shared journal lies."""

    url: str  # without a password
    workspace: str  # name of the partition
    wait_s: float  # for a connection
