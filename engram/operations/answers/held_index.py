"""The index for one command: brought up to date in the time there is, held, and what it lacks said in words."""

import errno
import time
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from typing import NamedTuple

from engram.base.counts import counted
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.ports.index import VectorIndex
from engram.services.index.catch_up import catch_up
from engram.services.index.full_catch_up import is_current
from engram.workspace import Workspace

CATCH_UP_S = 5.0  # for bringing the index up to date: somebody waits for the answer, and it says what it lacks
_UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT)
_BACKLOG = 200  # documents without a vector, from which a question no longer tries to embed them all
_BACKLOG_S = 0.5  # of a question that go into them then, the newest first


class Searched(NamedTuple):
    """The index as it stands for one command."""

    vectors: VectorIndex | None  # None: it cannot be used
    behind: int  # journal records that it has not taken in
    degraded: tuple[str, ...]  # why it cannot be used, lacks notes, or lacks the model that the settings name


@contextmanager
def searching(
    workspace: Workspace, budget_s: float | None, *, applies: bool = True, wait_s: float | None = None
) -> Iterator[Searched]:
    """Bring the index up to date within so many seconds (None: wholly) and hold it; what is missing is said.

    `wait_s`: seconds that we wait for our turn behind others, 0 or more (None: the setting store.wait_s).
    """
    if applies:
        workspace.store.apply_waiting()  # the store is not held while the index catches up
    with ExitStack() as stack:
        try:
            if budget_s is None:
                workspace.index.complete()
            index = stack.enter_context(workspace.index.searching(wait_s))
            searched = _catch_up(workspace, index, budget_s)
        except DegradedIndexError as problem:
            why = f"no index: {problem.message} ({problem.hint})"
            searched = Searched(None, workspace.journal.head()[0], (why,))
        except StoreBusyError as problem:
            why = f"the index is busy: {problem.message}; facts were searched without it, by their words"
            searched = Searched(None, _lag(workspace), (why,))
        except OSError as problem:
            if problem.errno not in _UNWRITABLE:
                raise
            why = f"the index cannot be written: {problem.strerror}; facts were searched without it, by their words"
            searched = Searched(None, _lag(workspace), (why,))
        yield searched


def _catch_up(workspace: Workspace, index: VectorIndex, budget_s: float | None) -> Searched:
    """Take in the words of what is new, then as many vectors as there is time for."""
    settings, clock = workspace.settings, time.monotonic
    started, behind = clock(), 0
    if not is_current(workspace.journal, index):
        lag = catch_up(workspace.journal, index, budget_s=budget_s, clock=clock, zone=settings.zone)
        behind = lag.behind
    unread = workspace.index.notes.catch_up(index, None if budget_s is None else budget_s - (clock() - started))
    embedder, why = workspace.index.embedder
    lacks_model = embedder is None and settings.embeddings.provider not in {"auto", "none"}
    degraded = [why] if lacks_model else []
    if unread:
        are = "is" if unread == 1 else "are"
        degraded.append(f"{counted(unread, 'note')} {are} not in the index yet: the next question goes on")
    try:
        left_s = None if budget_s is None else budget_s - (clock() - started)
        is_left = index.embed_pending(_for_vectors(workspace, index, left_s), clock)
        if is_left and workspace.index.embed_later is not None:
            workspace.index.embed_later()
    except EngramError as problem:  # such as a service that does not answer
        degraded.append(f"no new vectors: {problem.message} ({problem.hint})")
    return Searched(index, behind, (*degraded, *index.missing()))


def _for_vectors(workspace: Workspace, index: VectorIndex, budget_s: float | None) -> float | None:
    """Return the seconds that go into vectors: a past that takes hours is the heartbeat's, no question waits for it."""
    is_long = index.pending() > _BACKLOG
    if budget_s is None or (workspace.index.embed_later is None and not is_long):
        return budget_s
    return 0.0 if is_long and workspace.index.embed_later is not None else min(budget_s, _BACKLOG_S)


def _lag(workspace: Workspace) -> int:
    """Return how many journal records an index that others hold has not taken in, as far as that can be told."""
    head = workspace.journal.head()[0]
    try:
        return max(0, head - (workspace.index.place.position() or 0))
    except EngramError:
        return head
