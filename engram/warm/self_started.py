"""The warm process that hooks start: it answers at the warm door, keeps itself current, and ends by itself.

Invariant: it holds nothing that a writer waits for. Between two questions only the index is held, which whoever waits
for it gets at once; what waits in the spool is applied after a question, as any other process would.
"""

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

from engram.base.log import warn
from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.errors import EngramError
from engram.warm.holder import WARM_PROCESS
from engram.warm.prompt_recall import warm_up
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore

IDLE: Final = "nobody asked for {seconds} s"
OUTDATED: Final = "another release of Engram, or of what it needs, was installed"
GONE: Final = "the workspace is gone"
OFF: Final = "the settings switch it off (hooks.recall)"
TAKEN: Final = "another process answers for this workspace"
YIELDED: Final = "a newer release of Engram asked, and takes its place"
ENDED: Final = "it was asked to end"

_LOOK_S = 1.0  # between two looks whether it shall end; less when it is to end sooner
_LOOKS = 4  # in the time after which it ends


def serve_alone(root: Path, idle_s: int | None = None) -> str:
    """Answer at the warm door of a workspace until there is a reason to end; return the reason.

    Ends when nobody asked for `idle_s` seconds (None: as the settings say), and at once when another process has the
    door. Raises SettingsError.
    """
    stop = threading.Event()
    store = WarmStore(root, index_idle_s=None)
    server = WarmServer(store, owner=WARM_PROCESS, waits=False)
    place = _Place(store.paths, idle_s)
    with _ended_by_signals(stop):
        server.start()
        try:
            while not server.wait_open(_LOOK_S / _LOOKS):
                if not server.is_alive():
                    return TAKEN
            _warm_up(store)
            store.paths.warm_starting.unlink(missing_ok=True)
            return _wait(store, server, place, stop)
        finally:
            server.close()
            store.close()


class _Place:
    """The workspace as it was at the start, and its settings as they are."""

    def __init__(self, paths: Paths, idle_s: int | None) -> None:
        self._paths = paths
        self._idle_s = idle_s
        self._state = self._inode()
        self._stamp: tuple[int, int] | None = None
        self._choices = HookChoices()

    def is_gone(self) -> bool:
        """Tell whether the workspace was moved or deleted; another may lie in its place."""
        return self._state is None or self._inode() != self._state or not self._paths.settings.is_file()

    def choices(self) -> HookChoices:
        """Return what the settings say of hooks, read again when they change."""
        try:
            found = self._paths.settings.stat()
        except OSError:
            return self._choices
        stamp = (found.st_mtime_ns, found.st_size)
        if stamp != self._stamp:
            self._choices, self._stamp = read_hook_choices(self._paths), stamp
        return self._choices

    def idle_s(self) -> int:
        """Return the seconds without a question after which the process ends."""
        return self.choices().idle_s if self._idle_s is None else self._idle_s

    def _inode(self) -> tuple[int, int] | None:
        try:
            found = self._paths.state.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def _wait(store: WarmStore, server: WarmServer, place: _Place, stop: threading.Event) -> str:
    """Look now and then whether there is a reason to end, and return it; keep the store current meanwhile."""
    tidied = server.tally.answered
    while True:
        if stop.wait(min(_LOOK_S, place.idle_s() / _LOOKS)):
            return ENDED
        if place.is_gone():
            return GONE
        if server.is_outdated():
            return OUTDATED
        if place.choices().recall == "off":
            return OFF
        if not server.is_alive():
            return YIELDED if server.has_yielded() else TAKEN
        if server.tally.idle_s() >= place.idle_s():
            return IDLE.format(seconds=place.idle_s())
        if server.tally.answered != tidied:
            tidied = server.tally.answered
            _tidy(store)


def _warm_up(store: WarmStore) -> None:
    """Load the engines, the model and the index, as a first question would."""
    with _unless_refused(), store.reading() as workspace:
        warm_up(workspace)


def _tidy(store: WarmStore) -> None:
    """Apply what waits, and ask as a question would: it brings the index up to date, and loads what has changed."""
    with _unless_refused(), store.writing() as workspace:
        workspace.store.apply_waiting()
    _warm_up(store)


@contextlib.contextmanager
def _unless_refused() -> Iterator[None]:
    """Pass over what the store refuses, such as a moment in which it is busy: the next question says it again."""
    try:
        yield
    except (EngramError, OSError) as problem:
        warn(f"the warm process: {problem}")


@contextlib.contextmanager
def _ended_by_signals(stop: threading.Event) -> Iterator[None]:
    def leave(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
