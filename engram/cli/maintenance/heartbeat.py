"""The commands below `engram heartbeat`."""

import shlex

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_run
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.maintenance.heartbeat_text import _moment
from engram.cli.maintenance.heartbeat_text import render_done
from engram.cli.maintenance.heartbeat_text import render_outcome
from engram.cli.maintenance.heartbeat_text import render_plan
from engram.cli.maintenance.heartbeat_text import render_run
from engram.cli.maintenance.heartbeat_text import render_standing
from engram.cli.maintenance.heartbeat_watch import watch_command
from engram.cli.maintenance.week_text import render_week_text
from engram.errors import BadValueError
from engram.errors import NeedsWorkError
from engram.errors import StoreBusyError
from engram.heartbeat.child.phases import PHASES
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.report.alerts import AlertFile
from engram.heartbeat.report.week import week_report
from engram.heartbeat.run.health import heartbeat_standing
from engram.heartbeat.run.health import why_it_needs_work
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import plan_heartbeat
from engram.heartbeat.run.runner import run_heartbeat
from engram.heartbeat.schedule import installer
from engram.heartbeat.schedule.cron_text import CALLERS
from engram.heartbeat.schedule.cron_text import describe
from engram.heartbeat.schedule.cron_text import parse_every
from engram.hooks.background.deferred_requests import has_requests
from engram.operations.picture_file import STDOUT
from engram.operations.picture_file import save_picture
from engram.services.pictures.week_page import render_week

LAST_LINE = "HEARTBEAT_OK"  # of the text output: what agents and cron look for
_LISTED_RUNS = 20  # of `heartbeat log`


@click.group(cls=EngramSet)
def heartbeat() -> None:
    """What cron calls to keep the memory true.

    \b
    Example:
      engram heartbeat run
    """


@heartbeat.command(cls=EngramCommand)
@click.option(
    "--phase",
    "phases",
    multiple=True,
    metavar="P",
    help=f"Run only this phase ({', '.join(phase.name for phase in PHASES)}); repeatable.",
)
@click.option("--force", is_flag=True, help="Read all notes and turns again; facts that are known are not doubled.")
@click.option(
    "--agent-command", metavar="CMD", help="Program that answers for phases with a template; no shell is used."
)
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Of one phase."
)
@click.option("--dry-run", is_flag=True, help="Print what is unread and change nothing.")
def run(
    phases: tuple[str, ...], *, force: bool, agent_command: str | None, timeout_s: float | None, dry_run: bool
) -> None:
    """Run the heartbeat once: read new notes and turns, keep facts, bring index and life/ up to date.

    Exits 0 also when a phase failed or another heartbeat runs; the status says so. Exits 5, and reads nothing, when
    another process holds the store for all of `store.wait_s`.

    \b
    Example:
      engram heartbeat run --phase extraction
    """
    check_words(agent_command=agent_command)
    options = RunOptions(phases, force, _split(agent_command), timeout_s, adopts_orphans=True)
    workspace = invocation().workspace()
    if dry_run:
        plan = plan_heartbeat(workspace, options)
        invocation().emit(plan, lambda: render_plan(plan))
        return
    with workspace.locks.waiting_once():
        if has_requests(workspace.paths):  # what a crash kept from being taken in when it was left
            from engram.hooks.background.drain_requests import take_in  # noqa: PLC0415 - 30 ms, and seldom needed

            take_in(workspace)
        done = run_heartbeat(workspace, options)
    result = done.as_json()
    has_failed = result["status"] == "failed"
    asked = invocation()
    last = "" if has_failed or asked.for_screen else f"\n{LAST_LINE}"
    asked.emit(result, lambda: f"{render_run(result, with_id=not asked.for_screen)}{last}")
    if (busy := done.busy) is not None:
        said = f"{busy.message}; the heartbeat has read nothing"
        raise StoreBusyError(said, hint="the next heartbeat does it; engram heartbeat status", **busy.details)
    click.get_current_context().exit(1 if has_failed else 0)


@heartbeat.command(cls=EngramCommand)
@click.option("--check", is_flag=True, help="Exit 10 when the last run failed or one is overdue: for supervisors.")
def status(*, check: bool) -> None:
    """Show when the heartbeat last ran, what failed, what is overdue, and whether one runs now.

    \b
    Example:
      engram heartbeat status
    """
    standing = heartbeat_standing(invocation().workspace())
    invocation().emit(standing, lambda: render_standing(standing))
    if check and standing["needs_work"]:
        raise NeedsWorkError(why_it_needs_work(standing), hint="engram heartbeat run, then engram heartbeat log")


@heartbeat.command(cls=EngramCommand)
def alerts() -> None:
    """List the alerts that stand: what the phases found and nobody has mended.

    \b
    Example:
      engram heartbeat alerts
    """
    found = AlertFile(invocation().workspace().paths.alerts).current()
    rows = [(f"{one.first_at:%Y-%m-%d %H:%M}", one.phase, one.text) for one in found]
    value = {"alerts": [one.model_dump(mode="json", exclude={"gone_at", "is_unheard"}) for one in found]}
    columns = [("since", False), ("phase", False), ("alert", True)]
    invocation().emit_table(value, lambda: table(rows) if rows else "no alerts", columns, rows)


@heartbeat.command(cls=EngramCommand)
@click.option("--every", default="30m", show_default=True, metavar="30m", help="How often: minutes, hours or days.")
@click.option("--with", "by", type=click.Choice(CALLERS), help="What calls it (default: launchd on macOS, else cron).")
@click.option("--dry-run", is_flag=True, help="Show exactly what would be added and change nothing.")
def install(*, every: str, by: str | None, dry_run: bool) -> None:
    """Let the system call `heartbeat run`: a line in your crontab, a timer of your systemd, an agent of launchd.

    Installing again replaces what was installed for this workspace; other workspaces keep theirs.

    \b
    Example:
      engram heartbeat install --every 30m --dry-run
    """
    check_words(every=every)
    report = installer.install(invocation().workspace(), parse_every(every), by, dry_run=dry_run)
    words = f"{describe(report['adds'])}\n\n{'would add this' if dry_run else 'added'} (every {every})"
    invocation().emit(report, words)


@heartbeat.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help="Show what would be removed and change nothing.")
def uninstall(*, dry_run: bool) -> None:
    """Remove exactly what `heartbeat install` added for this workspace.

    \b
    Example:
      engram heartbeat uninstall --dry-run
    """
    report = installer.uninstall(invocation().workspace(), dry_run=dry_run)
    verb = "would remove" if dry_run else "removed"
    lines = [f"{verb} {entry}" for entry in report["removed"]]
    invocation().emit(report, "\n".join(lines) or "nothing was installed for this workspace")


@heartbeat.command(cls=EngramCommand)
@click.argument("run_id", metavar="[RUN]", required=False, shell_complete=complete_run)
def log(run_id: str | None) -> None:
    """List the latest runs, or show one RUN whole: its number in the list, 1 for the latest, or its id.

    \b
    Example:
      engram heartbeat log
      engram heartbeat run
      engram heartbeat log 1
    """
    check_words(run=run_id)
    asked = invocation()
    records = RunRecords(asked.workspace().paths.runs)
    if run_id is not None:
        record = records.get(run_id)
        asked.emit(record, lambda: render_run(record, with_id=not asked.for_screen))
        return
    latest = records.latest(_LISTED_RUNS)
    rows = [(str(one["run_id"]), str(one.get("started_at", "")), str(one.get("status", ""))) for one in latest]
    asked.emit_table(
        {"runs": latest},
        lambda: table(rows) or "no heartbeat has run here yet",
        [("", False), ("began", False), ("outcome", False), ("what was done", True)],
        [
            (str(number), _moment(one.get("started_at")), render_outcome(one), render_done(one))
            for number, one in enumerate(latest, 1)
        ],
    )


@heartbeat.command("report", cls=EngramCommand)
@click.option("--html", "file", metavar="FILE", help="Write it as a page there; - for standard output.")
@asked_by
def write_report(*, file: str | None, session: str | None, agent: str | None) -> None:
    """Tell of the last 7 days, or write them as one page: what was learnt and replaced, what waits, and the runs.

    The page, which also draws the tiers, is one file that fetches nothing. It holds private facts, too: it is the
    owner's. With --session or --agent it holds what they may see, and no runs.

    \b
    Example:
      engram heartbeat report --html week.html
    """
    asked = invocation()
    if file is not None:
        check_words(html=file)
    week = week_report(asked.workspace(), find_asker(asked, session, agent))
    if file is None:
        asked.emit(week, lambda: render_week_text(week, asked.workspace().settings.zone))
        return
    save_picture(file, render_week(week, asked.workspace().settings.zone))
    if file != STDOUT:
        told = {
            "path": file,
            "since": week["since"],
            "runs": len(week["runs"] or ()),
            "learnt": week["learnt"]["facts"],
        }
        asked.emit(told, f"wrote the last 7 days to {file}")


heartbeat.add_command(watch_command)


def _split(command: str | None) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command)) if command is not None else ()
    except ValueError as problem:
        raise BadValueError(
            f"--agent-command cannot be split into words: {problem}", hint="close its quotes"
        ) from problem
    if command is not None and not words:
        raise BadValueError("--agent-command is empty", hint="such as --agent-command 'claude -p'")
    return words
