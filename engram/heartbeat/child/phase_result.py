"""What a phase is asked to do, how its child is called, and what became of it."""

import dataclasses
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.errors import EngramError
from engram.errors import LeaseLostError
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.presets import Preset
from engram.heartbeat.child.replies import Usage
from engram.heartbeat.child.run_records import FAILED as FAILED_RUN
from engram.heartbeat.child.run_records import is_running
from engram.heartbeat.child.work_ahead import Beside
from engram.services.index.full_catch_up import Allowance
from engram.workspace import Workspace

SUCCEEDED, WARNING, FAILED, TIMED_OUT_PHASE, SKIPPED = "ok", "warning", "failed", "timed_out", "skipped"
FAILED_PHASES = frozenset([FAILED, TIMED_OUT_PHASE])


@dataclasses.dataclass
class SoFar:
    """What a phase has found and done: it stands in its result also when the phase fails after that."""

    stats: dict[str, Any] = dataclasses.field(default_factory=dict)
    alerts: list[str] = dataclasses.field(default_factory=list)
    changed: bool = False  # something was recorded that a person may want to know of


@dataclasses.dataclass
class Taken:
    """What a phase's model has taken, in this run."""

    by: str = ""  # name of the preset
    calls: int = 0
    usage: Usage = dataclasses.field(default_factory=Usage)


@dataclasses.dataclass(frozen=True)
class PhaseTask:
    """One phase of one run."""

    workspace: Workspace
    run_id: str
    phase: Phase
    agent_command: tuple[str, ...]  # of an agent or a preset; empty: the built-in child answers
    timeout_s: float  # of one child
    force: bool
    memory_mb: int = 2048  # of one child and all that it starts
    adopts_orphans: bool = False  # see `process.Limits`
    allowance: Allowance = dataclasses.field(default_factory=Allowance)  # of the whole run, for vectors
    so_far: SoFar = dataclasses.field(default_factory=SoFar)
    preset: Preset | None = None  # whose command that is
    taken: Taken = dataclasses.field(default_factory=Taken)
    beside: Beside = dataclasses.field(default_factory=Beside)  # of the whole run

    def without_agent(self) -> "PhaseTask":
        """Return the task as the built-in child is asked about it."""
        return dataclasses.replace(self, agent_command=(), preset=None)


class PhaseResult(NamedTuple):
    """What became of a phase."""

    phase: str
    status: str  # ok, warning, failed, timed_out, skipped
    summary: str  # one sentence
    stats: dict[str, Any]
    alerts: list[str]
    duration_s: float = 0.0
    changed: bool = False  # something was recorded that a person may want to know of
    model: Mapping[str, Any] = {}  # what its model took: by, calls, input_tokens, output_tokens, cost_usd; of none, {}

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line; `model` only where one was asked."""
        hidden = {"changed"} if self.model else {"changed", "model"}
        return {name: value for name, value in self._asdict().items() if name not in hidden}


class PhaseFailedError(EngramError):
    """A phase gave no answer that can be used; `run_phase` makes it the phase's result."""

    default_hint = "engram heartbeat log shows the run"

    def __init__(
        self, message: str, *, timed_out: bool = False, detail: str = "", nobody_answers: bool = False
    ) -> None:
        """Take the sentence, whether it is time that ran out, and what is of this run alone.

        An alert goes without the detail: with it, the same fault would be a new alert at every tick.
        `nobody_answers`: the model would answer no other question either, so none is to be asked.
        """
        super().__init__(message)
        self.timed_out = timed_out
        self.detail = detail
        self.nobody_answers = nobody_answers


def run_phase(task: PhaseTask, run: Callable[[PhaseTask], PhaseResult]) -> PhaseResult:
    """Run one phase and return its result; one that fails keeps what it found until then, and stops no other.

    Raises LeaseLostError: whoever has lost the lease runs nothing any more.
    """
    began = time.perf_counter()
    try:
        result = run(task)
    except LeaseLostError:
        raise
    except PhaseFailedError as problem:
        result = _failed(task, problem.message, timed_out=problem.timed_out, detail=problem.detail)
    except EngramError as problem:
        result = _failed(task, f"{problem.message} ({problem.hint})")
    except Exception as problem:  # noqa: BLE001 - the boundary of a phase: the others run whatever it does
        result = _failed(task, f"it failed unexpectedly: {type(problem).__name__}: {problem}")
    return result._replace(duration_s=round(time.perf_counter() - began, 3), model=_model_of(task.taken))


def _model_of(taken: Taken) -> dict[str, Any]:
    return {"by": taken.by, "calls": taken.calls, **taken.usage._asdict()} if taken.calls else {}


def _failed(task: PhaseTask, why: str, *, timed_out: bool = False, detail: str = "") -> PhaseResult:
    so_far, name = task.so_far, task.phase.name
    status = TIMED_OUT_PHASE if timed_out else FAILED
    alerts = [*dict.fromkeys([*so_far.alerts, f"{name}: {why}"])]
    return PhaseResult(name, status, why + detail, dict(so_far.stats), alerts, changed=so_far.changed)


def failures_of(record: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """Return what failed of a run that is over, as its record tells: `phase` (`run`: all of it) and `why` of each."""
    if record is None or is_running(record):
        return []
    phases = [one for one in record.get("phases", []) if one.get("status") in FAILED_PHASES]
    found = [{"phase": str(one["phase"]), "why": str(one["summary"])} for one in phases]
    if record.get("status") == FAILED_RUN and not found:
        found.append({"phase": "run", "why": "; ".join(map(str, record.get("alerts", []))) or "it came to no end"})
    return found


def results_of(record: Mapping[str, Any]) -> list[PhaseResult]:
    """Return what became of the phases of a run, as far as its record tells: their statuses and alerts."""
    phases = record.get("phases", [])
    return [PhaseResult(str(one["phase"]), str(one["status"]), "", {}, [*map(str, one["alerts"])]) for one in phases]
