"""The commands below `engram fleet`: the workspaces of many users over one PostgreSQL."""

import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import click

from engram.base.counts import counted
from engram.base.disk.home import at_home
from engram.base.machine.own_command import own_command
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.heartbeat.fleet.supervisor import supervise
from engram.heartbeat.fleet.tick_limits import TickLimits
from engram.heartbeat.schedule.cron_text import format_interval
from engram.heartbeat.schedule.cron_text import parse_every
from engram.model.fleet import MOVING
from engram.model.fleet import Member
from engram.operations.fleet.membership import URL_VARIABLE
from engram.operations.fleet.membership import Added
from engram.operations.fleet.membership import add_members
from engram.operations.fleet.membership import fleet_url
from engram.operations.fleet.membership import is_folder
from engram.operations.fleet.membership import list_fleet
from engram.operations.fleet.membership import member_json
from engram.operations.fleet.relocation import move_member

if TYPE_CHECKING:
    from engram.heartbeat.fleet.worker import Tick

_SECONDS, _MEGABYTES = click.FloatRange(min=1), click.IntRange(min=64)
DEFAULT_ROOT = "~/engram-fleet"
_url = click.option(
    "--url", metavar="URL", help=f"Database of the fleet (default: {URL_VARIABLE}, else that of the workspace here)."
)
_host = click.option("--host", metavar="HOST", help="Name of this host (default: what the system calls it).")


@click.group(cls=EngramSet)
def fleet() -> None:
    """The workspaces of many users over one PostgreSQL, and the workers that run their heartbeats.

    \b
    Example:
      engram fleet list --url postgresql://engram@db/engram
    """


@fleet.command(cls=EngramCommand)
@click.argument("wanted", metavar="NAME|FOLDER...", nargs=-1, required=True)
@_url
@click.option("--every", default="30m", show_default=True, metavar="30m", help="Time between two heartbeats.")
@click.option("--host", metavar="HOST", help="Whose workers run them (default: for a folder this host, else any).")
@click.option("--dry-run", is_flag=True, help="Say what would be added; asks no server and changes nothing.")
def add(wanted: tuple[str, ...], *, url: str | None, every: str, host: str | None, dry_run: bool) -> None:
    """Add workspaces: by NAME, or by FOLDER with a slash in it, whose journal moves to the server if it is in files.

    Each gets a part of the journal's table and a role of the database that can read and write this part alone.

    \b
    Example:
      engram fleet add anna bert --url postgresql://engram@db/engram --dry-run
    """
    check_words(url=url, every=every, host=host)
    done = add_members(
        _address(url),
        wanted,
        every_s=parse_every(every),
        host=host or socket.gethostname(),
        is_hosted=host is not None,
        dry_run=dry_run,
    )
    value = {"members": [one._asdict() for one in done], "dry_run": dry_run}
    invocation().emit(value, lambda: "\n".join(map(_added_text, done)))


@fleet.command("list", cls=EngramCommand)
@_url
def list_(*, url: str | None) -> None:
    """List the workspaces: which run, wait, are due or move, on which host, when each last ran, and how late it is.

    \b
    Example:
      engram fleet list --url postgresql://engram@db/engram
    """
    check_words(url=url)
    members = list_fleet(_address(url))
    rows = [_row(member) for member in members]
    columns = [(title, False) for title in ("workspace", "state", "host", "every", "last tick", "outcome", "late")]
    value = {"workspaces": [member_json(member) for member in members]}
    invocation().emit_table(value, lambda: table(rows) or "the fleet is empty: engram fleet add NAME", columns, rows)


@fleet.command(cls=EngramCommand)
@_url
@_host
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 256), help="Processes that run them.")
@click.option("--once", is_flag=True, help="End when no workspace is due.")
@click.option(
    "--root", default=DEFAULT_ROOT, show_default=True, metavar="DIR", help="Where folders of new workspaces are made."
)
@click.option(
    "--timeout", default=600.0, show_default=True, type=_SECONDS, metavar="SECONDS", help="That one heartbeat may take."
)
@click.option(
    "--memory", default=4096, show_default=True, type=_MEGABYTES, metavar="MB", help="That one heartbeat may use."
)
@click.option(
    "--lease",
    default=60.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="After which another worker takes the workspace of one that died.",
)
@click.option("--dry-run", is_flag=True, help="List what is due and run nothing.")
def tick(*, url: str | None, host: str | None, root: str, once: bool, dry_run: bool, **how: Any) -> None:
    """Run the heartbeats of due workspaces, one line each, until it is stopped.

    Each runs in a process of its own. A worker that dies loses its workspace to another after its lease, and writes
    nothing any more should it come back.

    \b
    Example:
      engram fleet tick --url postgresql://engram@db/engram --once
    """
    check_words(url=url, host=host, root=root)
    address, here = _address(url), host or socket.gethostname()
    if dry_run:
        _show_due(address, here)
        return
    over, workers = _ended_by_signal(), how.pop("workers")
    if workers > 1:
        words = ["--url", address, "--host", here, "--root", root, *(["--once"] if once else [])]
        words += [part for name, value in how.items() for part in (f"--{name}", str(value))]
        _tick_with_several(own_command(Path(root), "fleet", "tick", *words), workers, over, once=once)
        return
    from engram.heartbeat.fleet import worker  # noqa: PLC0415 - 150 ms, for those who work themselves

    folder, limits = at_home(root).resolve(), TickLimits(how["timeout"], how["memory"])
    asked, options = invocation(), worker.WorkerOptions(address, here, folder, how["lease"], limits, once)
    ticks = worker.work(options, lambda one: asked.emit_line(one.as_json(), _tick_text(one)), over)
    if not ticks and not asked.as_json:
        asked.tell("nothing is due")


@fleet.command(cls=EngramCommand)
@click.argument("name", metavar="NAME")
@click.argument("target", metavar="HOST|FOLDER")
@_url
@_host
@click.option(
    "--host-is-gone", is_flag=True, help="Do not wait for its host; what lay there alone, such as notes, is not moved."
)
@click.option("--dry-run", is_flag=True, help="Say what would move; changes nothing.")
def move(name: str, target: str, *, url: str | None, host: str | None, host_is_gone: bool, dry_run: bool) -> None:
    """Move a workspace to the workers of another HOST, or to another FOLDER of this one, while it is written to.

    Its journal stays on the server. Notes and settings go along; the former folder is kept beside its place, renamed.
    From another host it is handed over by a worker there at its next turn.

    \b
    Example:
      engram fleet move anna worker-2 --url postgresql://engram@db/engram
    """
    check_words(name=name, target=target, url=url, host=host)
    here = host or socket.gethostname()
    to_host, folder = (here, str(at_home(target).resolve())) if is_folder(target) else (target, None)
    if not to_host:
        raise BadValueError("the host has no name", hint="engram fleet move NAME HOST")
    member = move_member(_address(url), name, to_host, folder, here=here, host_is_gone=host_is_gone, dry_run=dry_run)
    if dry_run:
        plan = {"workspace": name, "to_host": to_host, "to_folder": folder, "dry_run": True}
        invocation().emit(plan, f"would move {name} to {folder or to_host}")
        return
    invocation().emit(member_json(member), _moved_text(member))


def _tick_with_several(command: tuple[str, ...], workers: int, over: threading.Event, *, once: bool) -> None:
    words = (*command, "--json") if invocation().as_json else command
    if failed := supervise(words, workers, over, is_once=once):
        raise EngramError(f"{counted(failed, 'worker')} ended with an error", hint="what was said above tells why")


def _address(url: str | None) -> str:
    return fleet_url(url, lambda: invocation().workspace().settings.journal)


def _show_due(address: str, here: str) -> None:
    due = [one for one in list_fleet(address) if one.lag_s > 0 and one.state != "running" and one.host in {None, here}]
    value = {"due": [one.workspace for one in due], "dry_run": True}
    invocation().emit(value, lambda: "\n".join(f"due: {one.workspace}" for one in due) or "nothing is due")


def _ended_by_signal() -> threading.Event:
    over = threading.Event()

    def end(_number: int, _frame: Any) -> None:
        over.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    return over


def _added_text(one: Added) -> str:
    where = f" ({one.folder})" if one.folder else f" (workers of {one.host})" if one.host else ""
    return f"{one.status}: {one.workspace}{where}"


def _row(one: Member) -> tuple[str, ...]:
    tick_at = f"{one.last_tick_at:%Y-%m-%d %H:%M}" if one.last_tick_at else "never"
    late = f"{one.lag_s:.0f}s" if one.lag_s >= 1 and one.state != "running" else ""
    where = f"{one.host} -> {one.to_host}" if one.to_host else one.host or "any"
    return one.workspace, one.state, where, format_interval(one.every_s), tick_at, one.last_status or "", late


def _tick_text(one: "Tick") -> str:
    said = f": {one.said}" if one.said else ""
    return f"{one.workspace}  {one.status.replace('_', ' ')}  {one.took_s:.1f}s{said}"


def _moved_text(member: Member) -> str:
    if member.state == MOVING:
        goal = member.to_folder or member.to_host
        return f"{member.workspace} goes to {goal} at the next turn of a worker of {member.host}"
    return f"{member.workspace} is at {member.folder or member.host} now"
