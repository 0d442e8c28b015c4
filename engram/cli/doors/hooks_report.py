"""How `hooks report` and `hooks stop` talk to people. The work is done in `engram.hooks`."""

from engram.cli.invocation.local_time import shown_day
from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import invocation
from engram.hooks.report import report
from engram.hooks.report import report_text
from engram.store.recall_log import RecallLog
from engram.warm import holder


def show(since: str | None) -> None:
    """Print what was recalled for prompts since then, and what replies used of it."""
    workspace = invocation().workspace()
    begin = read_time(workspace, "--since", since)
    found = report(RecallLog(workspace.paths.recall_log).rows(), since=begin)
    invocation().emit(found, lambda: report_text(found, shown_day(found["since"] or "")))


def stop(*, dry_run: bool) -> None:
    """End the warm process and say what became of it, or only say which would end."""
    paths = invocation().workspace().paths
    outcome, pid = holder.plan_stopping(paths) if dry_run else holder.stop(paths)
    said = {
        holder.RUNNING: f"the warm process {pid} would end",
        holder.NOT_RUNNING: "no warm process runs",
        holder.STOPPED: f"the warm process {pid} ended",
        holder.KILLED: f"the warm process {pid} did not end by itself and was killed",
        holder.OF_ANOTHER: f"process {pid} answers, but hooks did not start it: end `engram mcp` where it runs",
    }
    planned = {"dry_run": True} if dry_run else {}
    begins = "nothing is changed; " if dry_run else ""
    invocation().emit({"outcome": outcome.replace(" ", "_"), "pid": pid, **planned}, f"{begins}{said[outcome]}")
