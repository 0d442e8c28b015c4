"""What was given out by answers: noted as far as the settings allow, and known again when it is said back."""

import functools
from collections.abc import Callable
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.base.log import warn
from engram.services.commands.access_counts import access_row
from engram.services.commands.access_counts import recalled_lately
from engram.store.access_log import AccessLog
from engram.store.recall_log import RecallLog
from engram.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from engram.language.screen.recall_echo import Recalled
    from engram.services.commands.access_counts import RecallReceipt


class AnswerLog:
    """The two logs of a workspace that say what was given out, by answers and by hooks."""

    def __init__(self, around: Surroundings) -> None:
        """Take the workspace; nothing is opened."""
        self.accesses = AccessLog(around.paths.accesses)
        self.recalls = RecallLog(around.paths.recall_log)
        self._around = around

    def note(self, given: Sequence["RecallReceipt"]) -> None:
        """Note what was given out, unless the settings say no; a log that cannot be written is only a warning."""
        settings = self._around.settings.recall
        if not settings.log_accesses or not given:
            return
        rows = [access_row(one, at=self._around.now(), keep_words=settings.log_questions) for one in given]
        try:
            self.accesses.append(rows)
        except OSError as problem:
            warn(f"what was given out is not in the access log: {problem.strerror or problem}")

    def recalled(self) -> Callable[[str], str | None]:
        """Return what tells as what a text was given out lately, if it was; the log is read when it is first asked."""
        read = functools.cache(self._read_recalled)
        return lambda text: read().find(text)

    def _read_recalled(self) -> "Recalled":
        try:
            return recalled_lately(self.accesses.rows(), self._around.now())
        except OSError as problem:
            warn(f"the access log cannot be read: {problem.strerror or problem}")
            return recalled_lately([], self._around.now())
