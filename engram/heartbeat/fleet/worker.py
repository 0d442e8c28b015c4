"""A worker of a fleet: takes the workspace that has been due for longest, runs its heartbeat, and lets go of it."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.log import warn_once_a_minute
from engram.errors import EngramError
from engram.errors import LeaseLostError
from engram.errors import StoreBusyError
from engram.heartbeat.child.run_records import FAILED
from engram.heartbeat.child.run_records import SKIPPED
from engram.heartbeat.fleet.tick_limits import TickLimits
from engram.heartbeat.fleet.tick_process import LOST
from engram.heartbeat.fleet.tick_process import TIMED_OUT
from engram.heartbeat.fleet.tick_process import TOO_MUCH_MEMORY
from engram.heartbeat.fleet.tick_process import Ticked
from engram.heartbeat.fleet.tick_process import run_tick
from engram.model.fleet import Lease
from engram.operations.fleet.relocation import hand_over
from engram.operations.fleet.relocation import settle_in
from engram.store.fleet_place import open_registry

if TYPE_CHECKING:
    from engram.store.postgres.fleet_registry import FleetRegistry

MOVED: Final = "moved"
_FAILURES: Final = frozenset({FAILED, TIMED_OUT, TOO_MUCH_MEMORY})
_IDLE_S: Final = 1.0  # between two looks when nothing is due
_RENEWALS: Final = 4  # in the time of a lease
_AGAIN_S: Final = 10.0  # after which a workspace is due again in which another heartbeat ran


class WorkerOptions(NamedTuple):
    """How a worker works."""

    url: str
    host: str  # whose workspaces it takes
    root: Path  # below which it makes folders for workspaces that have none here
    lease_s: float
    limits: TickLimits
    is_once: bool  # ends when nothing is due


class Tick(NamedTuple):
    """One turn of a worker."""

    workspace: str
    status: str  # ok, ok_with_warnings, skipped, failed, timed_out, too_much_memory, lost, moved
    worker: str
    fence: int
    lag_s: float  # how late it began
    took_s: float
    said: str  # why it failed

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed."""
        return {**self._asdict(), "lag_s": round(self.lag_s, 3), "took_s": round(self.took_s, 3)}


def work(options: WorkerOptions, tell: Callable[[Tick], None], is_over: threading.Event) -> int:
    """Run due workspaces one after the other until none is due, or until it is over; return how many ticks there were.

    Without the server, or while somebody holds the register, it waits, unless it is to run once. Raises what the
    register raises then.
    """
    registry, ticks = open_registry(options.url), 0
    worker = f"{options.host}/{os.getpid()}"
    try:
        while not is_over.is_set():
            try:
                lease = registry.take(worker, options.host, options.lease_s)
            except StoreBusyError as away:
                if options.is_once:
                    raise
                warn_once_a_minute(f"{away.message}; trying again")
                lease = None
            if lease is not None:
                tell(_turn(registry, lease, options))
                ticks += 1
            elif options.is_once:
                break
            else:
                is_over.wait(_IDLE_S)
    finally:
        registry.close()
    return ticks


def _turn(registry: "FleetRegistry", lease: Lease, options: WorkerOptions) -> Tick:
    """Run one workspace, or hand it over; trouble of one workspace is in the tick, and never stops the worker."""
    begun = time.monotonic()
    try:
        if lease.member.to_host is not None:
            hand_over(registry, lease, options.host)
            ticked = Ticked(MOVED)
        else:
            folder = settle_in(registry, lease, options.root, options.url)
            ticked = run_tick(folder, lease.fence, lease.position, options.limits, _renewing(registry, lease, options))
    except LeaseLostError as lost:
        ticked = Ticked(LOST, lost.message)
    except (EngramError, OSError) as problem:
        ticked = Ticked(FAILED, str(problem))
    took_s = time.monotonic() - begun
    if ticked.status not in {MOVED, LOST}:
        ticked = _finish(registry, lease, ticked, took_s)
    member = lease.member
    return Tick(member.workspace, ticked.status, lease.worker, lease.fence, member.lag_s, took_s, ticked.said)


def _finish(registry: "FleetRegistry", lease: Lease, ticked: Ticked, took_s: float) -> Ticked:
    again = min(_AGAIN_S, lease.member.every_s) if ticked.status == SKIPPED else None
    said = (ticked.said or ticked.status) if ticked.status in _FAILURES else ""
    try:
        registry.finish(lease, ticked.status, took_s, said=said, again_s=again)
    except LeaseLostError as lost:
        return Ticked(LOST, lost.message)
    except StoreBusyError as away:  # the lease runs out, and whoever comes next looks again
        return ticked._replace(said=away.message)
    return ticked


def _renewing(registry: "FleetRegistry", lease: Lease, options: WorkerOptions) -> Callable[[], None]:
    """Return what keeps the lease up, and raises LeaseLostError when it is another's or may be."""
    renewed = time.monotonic()

    def renew() -> None:
        nonlocal renewed
        age = time.monotonic() - renewed
        if age < options.lease_s / _RENEWALS:
            return
        try:
            registry.renew(lease, options.lease_s)
            renewed = time.monotonic()
        except StoreBusyError as away:
            if age >= options.lease_s:
                raise LeaseLostError(f"the lease ran out while {away.message}") from away

    return renew
