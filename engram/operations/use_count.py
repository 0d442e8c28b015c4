"""Counting in the journal what was given out: the access log read on from where it was read last."""

from engram.model.fact import Actor
from engram.services.commands import access_counts
from engram.workspace import Workspace


def fold_accesses(workspace: Workspace) -> dict[str, int]:
    """Count in the journal the uses that the access log holds since the last time, each exactly once.

    Returns {"answers", "facts", "files_removed"}: answers read, facts used, and full files that were removed.
    """
    if not workspace.paths.accesses.is_dir():
        return {"answers": 0, "facts": 0, "files_removed": 0}
    log = workspace.answers.accesses
    with workspace.writing("heartbeat") as recorder:
        before = access_counts.read_marks(recorder.database.watermarks(access_counts.CONSUMER))
        rows, after = log.read_after(before)
        uses = access_counts.count_uses(rows)
        if after != before:
            envelopes = [workspace.envelope("uses", {"uses": uses}, actor=Actor.AGENT)] if uses else []
            recorder.record_together(envelopes, [access_counts.marks_watermark(after)])
    return {"answers": len(rows), "facts": len(uses), "files_removed": log.prune(after)}
