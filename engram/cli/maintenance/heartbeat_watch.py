"""The command `engram heartbeat watch`."""

import re
import signal
import threading
from types import FrameType

import click

from engram.base.clock import utc_now
from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import NotFoundError
from engram.heartbeat.schedule.cron_text import parse_every
from engram.heartbeat.schedule.known import known_workspaces
from engram.heartbeat.watch.watcher import Limits
from engram.heartbeat.watch.watcher import watch
from engram.workspace import Workspace
from engram.workspace import open_workspace

_SPAN = re.compile(r"([1-9]\d{0,5})\s*([smhd])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_WHY = {"signal": "it was told to", "for": "its time was over", "idle": "nothing changed any more"}
_STOPPED_BY_CTRL_C = 130


@click.command("watch", cls=EngramCommand)
@click.option("--every", default="30m", show_default=True, metavar="30m", help="When it is due though nothing changed.")
@click.option("--for", "for_span", metavar="SPAN", help="Stop after so long, such as 90s, 10m or 8h.")
@click.option("--idle", "idle_span", metavar="SPAN", help="Stop when nothing has changed for so long.")
@click.option("--all", "is_all", is_flag=True, help="Watch every workspace for which `heartbeat install` was run here.")
def watch_command(*, every: str, for_span: str | None, idle_span: str | None, is_all: bool) -> None:
    """Run the heartbeat when files change, and when it is due: for hosts without cron.

    One process watches a workspace. It looks at names, sizes and times of files every two seconds, and ends on SIGTERM
    or Ctrl-C when a run that goes on is over, after ten seconds at most. It says when a heartbeat hangs for an hour, or
    has not run for twice --every. Exits 1 then, and when the last run failed.

    \b
    Example:
      engram heartbeat watch --for 1s
    """
    check_words(every=every, **{"for": for_span, "idle": idle_span})
    limits = Limits(parse_every(every), _seconds("--for", for_span), _seconds("--idle", idle_span))
    asked = invocation()
    workspaces = _known() if is_all else [asked.workspace()]
    stop = threading.Event()
    caught: list[int] = []

    def leave(number: int, _: FrameType | None) -> None:
        caught.append(number)
        stop.set()

    def tell(line: str) -> None:
        asked.tell(f"{utc_now():%H:%M:%S} {line}")  # a run says what agents and files are called

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        tell(f"watching {', '.join(str(one.paths.root) for one in workspaces)}")
        ended = watch(workspaces, limits, stop, tell)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    result = {"stopped": ended.why, "runs": ended.runs, "failed": list(ended.failed), "silent": list(ended.silent)}
    asked.emit(result, f"watched and ran the heartbeat {counted(ended.runs, 'time')}; stopped: {_WHY[ended.why]}")
    code = 1 if ended.failed or ended.silent else _STOPPED_BY_CTRL_C if signal.SIGINT in caught else 0
    click.get_current_context().exit(code)


def _known() -> list[Workspace]:
    """Return the workspaces that are installed here and can be opened; the others are told of."""
    found = []
    for root in known_workspaces():
        try:
            found.append(open_workspace(str(root)))
        except (EngramError, OSError) as problem:
            invocation().tell(f"{root} is not watched: {problem}")
    if not found:
        raise NotFoundError(
            "no workspace of this host has an installed heartbeat", hint="engram heartbeat install, in each of them"
        )
    return found


def _seconds(option: str, span: str | None) -> float | None:
    if span is None:
        return None
    found = _SPAN.fullmatch(span.strip().casefold())
    if found is None:
        raise BadValueError(f"{option} {span!r} is not a span", hint="such as 90s, 10m or 8h")
    return int(found[1]) * _UNIT_S[found[2]]
