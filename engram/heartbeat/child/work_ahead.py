"""Work that a run has begun ahead of the phase that needs it, in processes of their own.

Nothing depends on it: an answer that is not there is asked for again, and words that were not taken in are taken in by
maintenance. A run that ends leaves none of these processes behind.
"""

import json
import threading
from collections.abc import Callable
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from typing import Final

from engram.base.text import sha256_hex
from engram.errors import EngramError
from engram.heartbeat.child.words import WordsProcess
from engram.model.handoff import Handoff

MARK: Final = ".beside"
"""Behind the id of a run: the mark of its children that run beside others, which end all that has their own mark."""

Check = Callable[[], None]  # raises an EngramError when the answer is not wanted any more


class Beside:
    """What one run has going beside its phases; `begin` is called by the first of them that has much to do."""

    def __init__(self, starters: Sequence[Callable[["Beside"], None]] = ()) -> None:
        """Take what `begin` calls, once."""
        self._starters = list(starters)
        self._words: WordsProcess | None = None
        self._answers: dict[str, Future[Handoff]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._is_over = threading.Event()
        self.has_begun = False  # the run has much to do
        self.weeks: frozenset[str] | None = (
            None  # files of the weeks that it rolls up where it has; None: not chosen yet
        )

    def begin(self) -> None:
        """Begin what can be done ahead, unless that was done before."""
        self.has_begun = True
        starters, self._starters = self._starters, []
        for start in starters:
            start(self)

    def take_in_words(self, process: WordsProcess) -> None:
        """Keep the process that takes words into the index, to be stopped in time."""
        self._words = process

    def stop_words(self) -> None:
        """Let go of the index: what is left of it is done by whoever calls this."""
        if self._words is not None:
            self._words.stop()
            self._words = None

    def ask(self, question: dict[str, Any], answer: Callable[[Check], Handoff]) -> None:
        """Have a question answered in a thread, one after the other; `answer` calls its argument all the while."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside")
        self._answers[_key(question)] = self._pool.submit(answer, self._check)

    def answer_to(self, question: dict[str, Any]) -> Handoff | None:
        """Return the answer to this very question, waiting for it; None when it was not asked, or has none."""
        asked = self._answers.pop(_key(question), None) if self._answers else None
        if asked is not None:
            with suppress(EngramError, OSError):
                return asked.result()
        return None

    def end(self) -> None:
        """End all that still runs."""
        self._is_over.set()
        self.stop_words()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _check(self) -> None:
        if self._is_over.is_set():
            raise EngramError("the answer is not wanted any more")


def _key(question: dict[str, Any]) -> str:
    return sha256_hex(json.dumps(question, ensure_ascii=False, sort_keys=True))
