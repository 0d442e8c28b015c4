"""The commands `heartbeat run`, `heartbeat status` and `heartbeat log`."""

import shlex
from typing import Any

import click

from engram.cli.options import EngramCommand
from engram.cli.options import EngramSet
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.cli.options import table
from engram.errors import BadValueError
from engram.heartbeat.runner import RunOptions
from engram.heartbeat.runner import plan_heartbeat
from engram.heartbeat.runner import run_heartbeat
from engram.heartbeat.runs import RunRecords
from engram.heartbeat.runs import is_running

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
    help="Run only this phase: extraction, domain-scan or maintenance; repeatable.",
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

    Exits 0 also when a phase failed or another heartbeat runs; the status says so.

    \b
    Example:
      engram heartbeat run --phase extraction
    """
    check_words(agent_command=agent_command)
    options = RunOptions(phases, force, _split(agent_command), timeout_s)
    workspace = invocation().workspace()
    if dry_run:
        plan = plan_heartbeat(workspace, options)
        invocation().emit(plan, lambda: table([(key, str(value)) for key, value in plan.items()]))
        return
    result = run_heartbeat(workspace, options).as_json()
    has_failed = result["status"] == "failed"
    invocation().emit(result, lambda: render_run(result) if has_failed else f"{render_run(result)}\n{LAST_LINE}")
    click.get_current_context().exit(1 if has_failed else 0)


@heartbeat.command(cls=EngramCommand)
def status() -> None:
    """Show the last run, and whether one runs now.

    \b
    Example:
      engram heartbeat status
    """
    latest = RunRecords(invocation().workspace().paths.runs).latest(1)
    last = latest[0] if latest else None
    shown = {"running": is_running(last), "last": last}
    invocation().emit(shown, lambda: render_run(last) if last else "no heartbeat has run here yet")


@heartbeat.command(cls=EngramCommand)
@click.argument("run_id", metavar="[RUN]", required=False)
def log(run_id: str | None) -> None:
    """List the latest runs, or show one RUN whole.

    \b
    Example:
      engram heartbeat log
    """
    check_words(run=run_id)
    records = RunRecords(invocation().workspace().paths.runs)
    if run_id is not None:
        record = records.get(run_id)
        invocation().emit(record, lambda: render_run(record))
        return
    latest = records.latest(_LISTED_RUNS)
    rows = [(str(one["run_id"]), str(one.get("started_at", "")), str(one.get("status", ""))) for one in latest]
    invocation().emit({"runs": latest}, lambda: table(rows))


def render_run(run: dict[str, Any]) -> str:
    """Return a run for people: one line for each phase, and the alerts."""
    lines = [f"heartbeat {run.get('run_id') or ''} {run['status']}".replace("  ", " ")]
    lines += [f"  {phase['phase']}: {phase['status']}, {phase['summary']}" for phase in run.get("phases", [])]
    return "\n".join([*lines, *(f"  alert: {alert}" for alert in run.get("alerts", []))])


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
