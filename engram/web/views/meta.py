"""What the page says of itself on every view: which memory this is, who reads it, and how much waits."""

from typing import Any

from engram import __version__
from engram.operations.review import count_waiting
from engram.web.asked import Asked
from engram.web.asked import Page


def meta(page: Page, _asked: Asked) -> dict[str, Any]:
    """Return {"version", "name", "owner", "agent", "reader", "zone", "now", "position", "counts", "waiting"}."""
    workspace = page.workspace
    settings, now, caller = workspace.settings, workspace.now(), page.caller
    with workspace.reading() as database:
        counts = database.fact_counts(now) if caller is None else {}
        position = database.position()
    waiting = count_waiting(workspace, caller)
    return {
        "version": __version__,
        "name": workspace.paths.root.name,
        "owner": settings.owner or None,
        "agent": settings.agent,
        "reader": caller and {"session": caller.session, "agent": caller.agent},
        "zone": str(settings.zone),
        "now": now.isoformat(),
        "position": position,
        "counts": counts,
        "waiting": sum(waiting[name] for name in waiting if name != "score"),
    }
