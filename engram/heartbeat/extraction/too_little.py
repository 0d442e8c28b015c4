"""Whether what is unread is worth waking a model for: the rules in a prompt cost the same for one line as for many."""

import datetime as dt

from engram.base.clock import local_day
from engram.heartbeat.child.prompts import most_tokens
from engram.heartbeat.intake.unread import Unread
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.workspace import Workspace


def too_little(workspace: Workspace, unread: Unread) -> int:
    """Return how many entries and turns wait for more to come; 0 when what is unread is to be read now.

    They wait while they have fewer tokens than `heartbeat.agent_batch` and all were written today, by the workspace's
    time zone: the first run of the next day reads them.
    """
    least = workspace.settings.heartbeat.agent_batch
    rows: list[NoteEntry | Turn] = [*unread.notes, *unread.turns]
    if not least or not rows or sum(most_tokens(row.text) for row in rows) >= least:
        return 0
    zone, today = workspace.settings.zone, local_day(workspace.now(), workspace.settings.zone)
    days = {local_day(turn.at, zone) for turn in unread.turns if turn.at}
    for path in {note.path for note in unread.notes}:
        try:
            written = (workspace.paths.root / path).stat().st_mtime
        except OSError:  # moved meanwhile
            return 0
        days.add(local_day(dt.datetime.fromtimestamp(written, dt.UTC), zone))
    return len(rows) if days <= {today} else 0
