"""What the parts of a workspace share: where it lies, its settings, and its clock."""

import datetime as dt
from typing import Protocol

from engram.config.paths import Paths
from engram.config.settings import Settings


class Surroundings(Protocol):
    """The workspace as its parts see it; settings and clock are asked each time, for they may change."""

    paths: Paths
    settings: Settings

    def now(self) -> dt.datetime:
        """Return the time."""
