"""What the parts of a workspace share: where it lies, its settings, its clock, its locks and who looks on."""

import datetime as dt
from collections.abc import Callable
from typing import Protocol

from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.ports.progress import Progress
from engram.workspace.locks import Locks


class DerivedIndex(Protocol):
    """What is made of the store beside it, as the store sees it: told when its ground moves."""

    def let_go(self) -> None:
        """Forget where it lay: it is looked for again when it is needed."""

    def remove_soon(self, owner: str) -> None:
        """Remove it now or before it is opened next, without waiting for who has it open."""


class Surroundings(Protocol):
    """The workspace as its parts see it; settings and clock are asked each time, for they may change."""

    paths: Paths
    settings: Settings
    locks: Locks
    progress: Progress  # told how far what takes long has come
    fence: Callable[[], None] | None  # asked under the store lock before anything is written

    @property
    def index(self) -> DerivedIndex:
        """What searches the store's documents."""

    def now(self) -> dt.datetime:
        """Return the time."""
