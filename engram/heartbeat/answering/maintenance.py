"""The built-in answer for maintenance."""

from typing import Any

from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus

NOTE_BYTES = 256 * 1024  # a note larger than this is named in an alert: it no longer is one day's note
SPOOL_WAITING = 100  # commands; more after a drain means that something keeps them from being applied


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for maintenance: what of the state that was looked at needs a person."""
    alerts = [
        f"{note['path']} has {note['bytes']} bytes; a daily note should stay below {NOTE_BYTES}"
        for note in given["large_notes"]
    ]
    if given["rejected"]:
        alerts.append(f"{given['rejected']} files in the spool are no commands; see .engram/spool/rejected")
    if given["waiting"] > SPOOL_WAITING:
        alerts.append(f"{given['waiting']} commands still wait in the spool after it was drained")
    status = HandoffStatus.WARNING if alerts else HandoffStatus.OK
    stats = {"spool_waiting": given["waiting"], "spool_rejected": given["rejected"], "runs_kept": given["runs"]}
    return Handoff(status=status, summary=f"looked at {given['notes']} notes", stats=stats, alerts=tuple(alerts))
