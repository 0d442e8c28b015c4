"""A workspace as a member of a fleet: where it lies, when it is due, and who has it in hand."""

import datetime as dt
from typing import NamedTuple

RUNNING, DUE, WAITING, MOVING = "running", "due", "waiting", "moving"


class Member(NamedTuple):
    """One workspace of a fleet, as the server knows it at one instant."""

    workspace: str
    role: str  # of the database, which sees this workspace alone
    host: str | None  # whose workers run it; None: whoever comes first
    folder: str | None  # there; None: none yet
    every_s: int  # seconds between two ticks
    state: str  # running, due, waiting, moving
    due_at: dt.datetime
    lag_s: float  # seconds that it has been due for, or was until its run began
    worker: str | None  # that has it, or had it last
    fence: int  # grows with each lease
    lease_until: dt.datetime | None
    last_tick_at: dt.datetime | None
    last_status: str | None  # of the heartbeat's run, or failed, timed_out, lost
    last_took_s: float | None
    failures: int  # ticks in a row that failed
    to_host: str | None  # where it moves
    to_folder: str | None


class Lease(NamedTuple):
    """The right to run one workspace for a while."""

    member: Member
    fence: int
    worker: str
    position: int  # of its journal on the server
