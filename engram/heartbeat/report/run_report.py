"""The report of a run in the daily note of the heartbeat: only of a run that changed something or has news."""

from collections.abc import Sequence

from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import PhaseResult
from engram.language.text.markdown_notes import REPORT_CLOSING
from engram.language.text.markdown_notes import REPORT_OPENING
from engram.services.silo.daily_note import NotePlace
from engram.services.silo.daily_note import append_block
from engram.services.silo.daily_note import note_place
from engram.services.visibility import HEARTBEAT_SESSION
from engram.workspace import Workspace

SESSION = HEARTBEAT_SESSION  # silo of the reports in memory/AGENT/
_SHOWN_ALERTS = 20  # of one phase in the report; the run's record holds all


def report_place(workspace: Workspace) -> NotePlace:
    """Return the daily note that reports go into."""
    settings = workspace.settings
    return note_place(workspace.paths.memory, settings.agent, SESSION, now=workspace.now(), zone=settings.zone)


def write_report(workspace: Workspace, run_id: str, results: Sequence[PhaseResult]) -> str | None:
    """Append the report to today's note, between the markers that keep it from being read as a note.

    `results` hold of their alerts only those that are news: what was told before is no reason for a report. Returns
    what was appended; None when there was nothing to say, or the settings want no report.
    """
    settings = workspace.settings
    if not settings.heartbeat.report or not any(result.changed or result.alerts for result in results):
        return None
    block = render_report(run_id, f"{workspace.now().astimezone(settings.zone):%H:%M}", results)
    append_block(workspace.files, report_place(workspace), block)
    return block


def render_report(run_id: str, clock: str, results: Sequence[PhaseResult]) -> str:
    """Return the block for the daily note, markers included; a phase that changed nothing worth telling is left out."""
    lines = [f"{REPORT_OPENING}heartbeat {run_id} -->", f"### {clock} heartbeat", ""]
    for result in results:
        if result.status in {SKIPPED, SUCCEEDED} and not result.changed and not result.alerts:
            continue
        lines.append(f"- {result.phase}: {result.status}, {_one_line(result.summary)}")
        lines += [f"  - alert: {_one_line(alert)}" for alert in result.alerts[:_SHOWN_ALERTS]]
        if len(result.alerts) > _SHOWN_ALERTS:
            lines.append(f"  - and {len(result.alerts) - _SHOWN_ALERTS} more alerts: engram heartbeat log {run_id}")
    return "\n".join([*lines, REPORT_CLOSING])


def _one_line(text: str) -> str:
    """Return the text on one line, unable to close the block that it stands in."""
    return " ".join(text.split()).replace("<!--", "‹!--").replace("-->", "--›")
