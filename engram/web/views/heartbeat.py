"""The heartbeat: what runs now, the runs before it, alerts, marks and costs; one run with what it wrote."""

from typing import Any

from engram.heartbeat.run.overview import heartbeat_overview
from engram.heartbeat.run.overview import read_marks
from engram.heartbeat.run.overview import run_page
from engram.services.visibility import require_owner
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.heartbeat_process import heartbeat_of


def heartbeat(page: Page, asked: Asked) -> dict[str, Any]:
    """Return the overview, or with a run's id in the path that run. `most`: runs of the overview.

    `trouble` is why the run failed that was started from the page, if it did.
    """
    require_owner(page.caller, "the heartbeat")
    workspace = page.workspace
    if asked.rest:
        return run_page(workspace, asked.rest, page.moment())
    found = heartbeat_overview(workspace, asked.number("most", 30, 1, 200))
    with workspace.reading() as database:
        marks = read_marks(database)
    return {**found, "marks": marks, "trouble": heartbeat_of(workspace.paths.root).trouble()}
