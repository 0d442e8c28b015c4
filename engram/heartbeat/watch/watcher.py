"""Runs the heartbeat of one workspace or several when files have changed, or when it is due.

Each run is a process of its own, so that this one stays small. What a run itself writes is no change; what others write
meanwhile is found by the run, which goes on until a pass leaves everything as it was.
"""

import contextlib
import datetime as dt
import io
import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import IO
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import utc_now
from engram.base.machine.own_command import own_command
from engram.errors import StoreBusyError
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.heartbeat.run.runner import SETTLED
from engram.heartbeat.run.runner import TICKED_AT
from engram.heartbeat.run.runner import heartbeat_lease
from engram.heartbeat.watch.look import look_at
from engram.workspace import Workspace

POLL_S: Final = 2.0  # between two looks
_SHARE: Final = 0.01  # of one processor that looking may take: with very many files it looks less often
_QUIET_S: Final = 2.0  # without a further change after which a run begins: somebody may still be writing
_IMPATIENT_S: Final = 15.0  # after which it begins although they still do
_REST_RUNS: Final = 4  # times as long as a run took, nothing is run again: at most a fifth of the time is spent on it
_AT_ONCE: Final = 2  # runs of different workspaces
_STALLED_S: Final = 3600.0  # after which a run that goes on is said to hang: the limits of its phases end it sooner
_LATE_TIMES: Final = 2  # times `every_s` without a tick, from which a heartbeat is said not to run
_COMPLAINT_S: Final = 60.0  # between two looks at whether a heartbeat runs
_ENDING_S: Final = 10.0  # that runs may go on when the watcher is told to stop; then they are ended, and lose nothing

Tell = Callable[[str], None]  # takes one line about what happens


class Limits(NamedTuple):
    """When a run is due though nothing has changed, and when the watcher stops by itself."""

    every_s: float
    for_s: float | None = None  # None: until it is told to stop
    idle_s: float | None = None  # without a change; None: however long nothing changes


class Ended(NamedTuple):
    """What a watcher did."""

    why: str  # signal, for, idle
    runs: int
    failed: tuple[str, ...]  # workspaces whose last run failed
    silent: tuple[str, ...] = ()  # workspaces whose heartbeat hangs, or has not run though it was due


class Watched:
    """One workspace that is looked at, and the run of it that goes on."""

    def __init__(self, workspace: Workspace, every_s: float, label: str = "") -> None:
        """Take the workspace, after how many seconds without a tick a run is due, and what each line begins with."""
        self.workspace = workspace
        self.label = label
        self.runs = 0
        self.has_failed = False
        self._every_s = every_s
        self._seen = look_at(workspace.paths)
        self._latest_at = time.monotonic()  # of the latest change
        self._changed_at = self._latest_at if self._has_moved_on() else None  # of the first one since the last run
        self._settled_before = ""  # when the run began that goes on, or was the last
        self._may_run_at = 0.0
        self._due_at = time.monotonic() + self._until_due_s()
        self._process: subprocess.Popen[bytes] | None = None
        self._complaint = ""  # what was said last of a heartbeat that does not run
        self._look_again_at = 0.0  # whether it does
        self._said: IO[bytes] = io.BytesIO()  # what the run prints
        self._began = 0.0
        self._began_at = self._watched_at = utc_now()

    @property
    def is_running(self) -> bool:
        """Tell whether a run goes on."""
        return self._process is not None

    @property
    def is_stalled(self) -> bool:
        """Tell whether a run goes on for longer than any may: others need not wait for it."""
        return self.is_running and time.monotonic() - self._began >= _STALLED_S

    @property
    def is_silent(self) -> bool:
        """Tell whether the heartbeat was last said to hang, or not to run."""
        return bool(self._complaint)

    def complaint(self) -> str:
        """Return in one line that the heartbeat hangs or has not run, or does again; empty when that was said."""
        now = time.monotonic()
        if now < self._look_again_at:
            return ""
        self._look_again_at = now + _COMPLAINT_S
        found = self._what_is_wrong()
        if found == self._complaint:
            return ""
        before, self._complaint = self._complaint, found
        return found or ("the heartbeat runs again" if before else "")

    def _what_is_wrong(self) -> str:
        if self.is_stalled:
            return f"the heartbeat hangs: a run goes on since {self._began_at:%H:%M} UTC and does not come to an end"
        if self.is_running:  # how it ends tells
            return self._complaint
        lease = heartbeat_lease(self.workspace)
        tick, holder = lease.words().get(TICKED_AT), lease.holder()
        last = from_iso(tick) if isinstance(tick, str) else None
        silent_s = (utc_now() - max(last or self._watched_at, self._watched_at)).total_seconds()
        if silent_s < _LATE_TIMES * self._every_s:
            return ""
        since = f"since {last:%Y-%m-%d %H:%M} UTC" if last else "yet"
        held = f": pid {holder.get('pid')} holds it since {holder.get('since')}" if holder else ""
        return f"the heartbeat has not run {since}{held}"

    def look(self) -> bool:
        """Look at the files, unless a run goes on; return whether something has changed."""
        if self.is_running:
            return False
        now, seen = time.monotonic(), look_at(self.workspace.paths)
        if seen == self._seen:
            return False
        self._seen, self._latest_at = seen, now
        self._changed_at = self._changed_at or now
        return True

    def why_run(self) -> str:
        """Return in a word or two why a run is to begin now; empty when none is."""
        now = time.monotonic()
        if self.is_running or now < self._may_run_at:
            return ""
        if self._changed_at is not None:
            is_settled = now - self._latest_at >= _QUIET_S or now - self._changed_at >= _IMPATIENT_S
            return "files changed" if is_settled else ""
        return "due" if now >= self._due_at else ""

    def begin(self) -> None:
        """Begin a run as a process of its own, which no Ctrl-C of ours reaches."""
        command = own_command(self.workspace.paths.root, "heartbeat", "run", "--json")
        self._changed_at, self._began, self._settled_before = None, time.monotonic(), self._settled()
        self._began_at = utc_now()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the run is over; a pipe would fill up
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def take(self, wait_s: float = 0) -> str | None:
        """Return in one line what became of the run; None while it goes on, for `wait_s` seconds at most."""
        if self._process is None:
            return None
        try:
            code = self._process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            return None
        self._process = None
        with self._said as file:
            file.seek(0)
            said = file.read()
        now = time.monotonic()
        self.runs += 1
        self._seen = look_at(self.workspace.paths)
        self._may_run_at = now + _REST_RUNS * (now - self._began)
        self._due_at = now + self._every_s
        if self._settled() != self._settled_before and self._has_moved_on():  # between the end of the run and this look
            self._changed_at = self._latest_at = now
        line, self.has_failed = _told(said, code)
        return line

    def stop(self, wait_s: float) -> str | None:
        """Let a run that goes on come to its end, or end it after so long, and return what became of it."""
        line = self.take(wait_s)
        if line is None and self._process is not None:
            self._process.terminate()
            line = self.take(_ENDING_S)
            if line is None and self._process is not None:
                self._process.kill()
                line = self.take(_ENDING_S)
            self.has_failed = False
            return line and "the heartbeat was ended before it was over; the next one goes on"
        return line

    def _has_moved_on(self) -> bool:
        """Tell whether something has changed since a heartbeat left nothing undone."""
        settled = self._settled()
        return bool(settled) and settled != workspace_fingerprint(self.workspace)

    def _settled(self) -> str:
        """Return what the last heartbeat that left nothing undone saw; empty when none has."""
        return str(heartbeat_lease(self.workspace).words().get(SETTLED) or "")

    def _until_due_s(self) -> float:
        tick = heartbeat_lease(self.workspace).words().get(TICKED_AT)
        if not isinstance(tick, str):
            return 0.0
        since: dt.timedelta = utc_now() - from_iso(tick)
        return min(max(0.0, self._every_s - since.total_seconds()), self._every_s)


def watch(workspaces: Sequence[Workspace], limits: Limits, stop: threading.Event, tell: Tell) -> Ended:
    """Run the heartbeats of workspaces until `stop` is set or a limit is reached, and return what was done.

    One process watches a workspace: one that another watches is told of and left to it. Raises StoreBusyError when that
    leaves none.
    """
    with contextlib.ExitStack() as stack:
        mine, busy = [], None
        for workspace in workspaces:
            try:
                stack.enter_context(workspace.locks.named("watch", "heartbeat watch").hold(wait_s=0))
            except StoreBusyError as problem:
                busy = problem
                tell(f"{workspace.paths.root}: {problem.message}")
                continue
            label = f"{workspace.paths.root}: " if len(workspaces) > 1 else ""
            mine.append(Watched(workspace, limits.every_s, label))
        if not mine and busy is not None:
            raise busy
        return _watch(mine, limits, stop, tell)


def _watch(mine: list[Watched], limits: Limits, stop: threading.Event, tell: Tell) -> Ended:
    began = changed_at = time.monotonic()
    why = "signal"
    while not stop.is_set():
        looked, worked_s = time.monotonic(), time.thread_time()
        changes = [one.look() for one in mine]
        changed_at = looked if any(changes) else changed_at
        took_s = time.thread_time() - worked_s  # of a processor: a host that is busy with other things is no reason
        for one in mine:
            _advance(one, mine, tell)
        now = time.monotonic()
        if any(one.is_running for one in mine):
            changed_at = max(changed_at, now)
        if limits.for_s is not None and now - began >= limits.for_s:
            why = "for"
            break
        if limits.idle_s is not None and now - changed_at >= limits.idle_s:
            why = "idle"
            break
        ends_in = [began + limits.for_s - now] if limits.for_s is not None else []
        stop.wait(max(0.05, min([max(POLL_S, took_s / _SHARE), *ends_in])))
    until = time.monotonic() + _ENDING_S
    for one in mine:
        if (line := one.stop(max(0.0, until - time.monotonic()))) is not None:
            tell(f"{one.label}{line}")
    failed = tuple(str(one.workspace.paths.root) for one in mine if one.has_failed)
    silent = tuple(str(one.workspace.paths.root) for one in mine if one.is_silent)
    return Ended(why, sum(one.runs for one in mine), failed, silent)


def _advance(one: Watched, mine: Sequence[Watched], tell: Tell) -> None:
    """Take the result of a run that is over, and begin one where it is time and not too many go on."""
    if (line := one.take()) is not None:
        tell(f"{one.label}{line}")
    if complaint := one.complaint():
        tell(f"{one.label}{complaint}")
    is_free = sum(other.is_running and not other.is_stalled for other in mine) < _AT_ONCE
    if is_free and (why := one.why_run()):
        tell(f"{one.label}{why}: the heartbeat runs")
        one.begin()


def _told(said: bytes, code: int) -> tuple[str, bool]:
    """Return in one line what a run printed as JSON, and whether it failed."""
    try:
        result: dict[str, Any] = json.loads(said)
        status = str(result["status"]).replace("_", " ")
    except (ValueError, KeyError, TypeError):
        return f"the heartbeat ended with exit code {code}", code != 0
    done = [phase["summary"] for phase in result.get("phases", []) if phase["status"] not in {"skipped"}]
    words = "; ".join([*done, *(f"alert: {alert}" for alert in result.get("alerts", []))])
    return f"heartbeat {status}{': ' if words else ''}{words}", code != 0
