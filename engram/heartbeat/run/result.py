"""What a run did."""

from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.errors import StoreBusyError
from engram.heartbeat.child.phase_result import PhaseResult


class RunResult(NamedTuple):
    """What a run did."""

    status: str  # ok, ok_with_warnings, skipped, failed
    run_id: str | None  # None when it was skipped; a tick that found nothing to do leaves no record of it
    phases: list[PhaseResult]
    alerts: list[str]  # of the run, and what is news of those of its phases
    notices: Sequence[str] = ()  # what the run saw to before its phases
    busy: StoreBusyError | None = None  # who held the store all the while: then nothing was read

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        told = {name: value for name, value in self._asdict().items() if name != "busy"}
        return {**told, "phases": [phase.as_json() for phase in self.phases], "notices": [*self.notices]}
