"""The built-in answer for maintenance.

A question has `waiting` and `rejected` (files in the spool), `runs` (records kept), `notes` (how many), `large_notes`
(rows of path and bytes: those longer than `limit_kb`), and `findings`, sentences of the checks, each with the command
that mends it. An agent is given the sentences that this answer and the work before it came to, as rows of `finding`,
and rows of `note` and `bytes`; it may answer with alerts and observations only.
"""

import shlex
from typing import Any

from engram.base.counts import counted
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus

SPOOL_WAITING = 100  # commands; more after a drain means that something keeps them from being applied


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for maintenance: what of the state that was looked at needs a person."""
    alerts = [
        f"{note['path']} is longer than {given['limit_kb']} KB: engram note rotate {shlex.quote(note['path'])} moves "
        "its oldest sections into archives, if it has any"
        for note in given["large_notes"]
    ]
    if given["rejected"]:
        alerts.append("the spool holds files that are no commands; see .engram/spool/rejected")
    if given["waiting"] > SPOOL_WAITING:
        alerts.append("many commands still wait in the spool after it was drained: engram doctor says why")
    alerts += given["findings"]
    status = HandoffStatus.WARNING if alerts else HandoffStatus.OK
    stats = {
        "spool_waiting": given["waiting"],
        "spool_rejected": given["rejected"],
        "runs_kept": given["runs"],
        "findings": len(given["findings"]),
    }
    return Handoff(
        status=status, summary=f"looked at {counted(given['notes'], 'note')}", stats=stats, alerts=tuple(alerts)
    )
