"""The one place where ports meet adapters: what a workspace runs on."""

import datetime as dt
from collections.abc import Callable
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.base.clock import utc_now
from engram.base.log import warn
from engram.config.paths import find_workspace
from engram.config.settings import load_settings
from engram.model.fact import Actor
from engram.services.commands import access_counts
from engram.services.commands.access_counts import access_row
from engram.workspace.index_access import Indexing

if TYPE_CHECKING:
    from engram.services.commands.access_counts import RecallReceipt


class Workspace(Indexing):
    """One workspace, opened for one process. Nothing is held open between calls."""

    def log_accesses(self, given: Sequence["RecallReceipt"]) -> None:
        """Note what was given out, unless the settings say no; a log that cannot be written is only a warning."""
        if not self.settings.recall.log_accesses or not given:
            return
        keep_words = self.settings.recall.log_questions
        rows = [access_row(one, at=self.now(), keep_words=keep_words) for one in given]
        try:
            self.access_log.append(rows)
        except OSError as problem:
            warn(f"what was given out is not in the access log: {problem.strerror or problem}")

    def fold_accesses(self) -> dict[str, int]:
        """Count in the journal the uses that the access log holds since the last time, each exactly once.

        Returns {"answers", "facts", "files_removed"}: answers read, facts used, and full files that were removed.
        """
        if not self.paths.accesses.is_dir():
            return {"answers": 0, "facts": 0, "files_removed": 0}
        with self.writing("heartbeat") as recorder:
            before = access_counts.read_marks(recorder.database.watermarks(access_counts.CONSUMER))
            rows, after = self.access_log.read_after(before)
            uses = access_counts.count_uses(rows)
            if after != before:
                envelopes = [self.envelope("uses", {"uses": uses}, actor=Actor.AGENT)] if uses else []
                recorder.record_together(envelopes, [access_counts.marks_watermark(after)])
        return {"answers": len(rows), "facts": len(uses), "files_removed": self.access_log.prune(after)}


def open_workspace(folder: str | None, *, now: Callable[[], dt.datetime] = utc_now) -> Workspace:
    """Open the workspace that the user means; see `find_workspace` and `load_settings` for what is raised."""
    paths = find_workspace(folder)
    return Workspace(paths, load_settings(paths.settings), now)
