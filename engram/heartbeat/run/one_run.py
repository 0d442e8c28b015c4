"""One run: the phases one after the other, each in its own child, and what becomes of their answers.

A phase that fails, hangs, lies or prints garbage is a failed phase: nothing of its answer is applied, its entries stay
unread, and the other phases run.
"""

import os
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress

from engram.base.clock import to_iso
from engram.base.ids import new_id
from engram.base.machine.processes import birth_of
from engram.base.telemetry import observed
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import LeaseLostError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.heartbeat.child.phase_result import FAILED_PHASES
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phase_result import failures_of
from engram.heartbeat.child.phase_result import results_of
from engram.heartbeat.child.phases import DOMAIN_SCAN
from engram.heartbeat.child.phases import DOMAIN_SPAWN
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.phases import MAINTENANCE
from engram.heartbeat.child.phases import REVIEW
from engram.heartbeat.child.phases import SYNTHESIS
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.presets import choose_agent
from engram.heartbeat.child.process_tree import end_marked
from engram.heartbeat.child.run_records import FAILED
from engram.heartbeat.child.run_records import OK
from engram.heartbeat.child.run_records import RUNNING
from engram.heartbeat.child.run_records import WITH_WARNINGS
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.child.words import WordsProcess
from engram.heartbeat.child.work_ahead import MARK
from engram.heartbeat.child.work_ahead import Beside
from engram.heartbeat.domains.phase import run_domain_scan
from engram.heartbeat.domains.spawn import run_domain_spawn
from engram.heartbeat.extraction.phase import run_extraction
from engram.heartbeat.intake.second_look import TO_JUDGE_AGAIN
from engram.heartbeat.maintenance.phase import run_maintenance
from engram.heartbeat.report.alerts import SERVER_AWAY
from engram.heartbeat.report.alerts import Alert
from engram.heartbeat.report.alerts import note_alerts
from engram.heartbeat.report.alerts import tell_alerts
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.heartbeat.review.phase import run_review
from engram.heartbeat.run.cleanup import sweep
from engram.heartbeat.run.day_note import begin_day_note
from engram.heartbeat.run.fallback import run_or_fall_back
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.options import list_due
from engram.heartbeat.run.owner import as_results
from engram.heartbeat.run.owner import see_to_owner
from engram.heartbeat.run.quiescence import MOST_PASSES
from engram.heartbeat.run.quiescence import is_nothing
from engram.heartbeat.run.quiescence import merge
from engram.heartbeat.run.quiescence import report_and_look
from engram.heartbeat.run.result import RunResult
from engram.heartbeat.synthesis.phase import WEEKS_LEFT
from engram.heartbeat.synthesis.phase import ask_ahead
from engram.heartbeat.synthesis.phase import run_synthesis
from engram.services.index.full_catch_up import Allowance
from engram.store.lease import Lease
from engram.workspace import Workspace

_LEAST_SHARE = 0.1  # of the seconds for vectors that the other phases leave to them in any case
_RUNNERS: Mapping[str, Callable[[PhaseTask], PhaseResult]] = {
    EXTRACTION.name: run_extraction,
    SYNTHESIS.name: run_synthesis,
    DOMAIN_SCAN.name: run_domain_scan,
    DOMAIN_SPAWN.name: run_domain_spawn,
    MAINTENANCE.name: run_maintenance,
    REVIEW.name: run_review,
}


class Run:
    """One run that is not known to be quiet."""

    def __init__(self, workspace: Workspace, options: RunOptions, lease: Lease, fence: int) -> None:
        """Take the lease that is held, and the number that its holder goes by."""
        self.run_id = new_id()
        self.results: list[PhaseResult] = []
        self.alerts: list[str] = []  # of the run itself
        self.notices: Sequence[str] = ()
        self._begun: Sequence[str] = ()  # of which the caller is told, and no report: it comes every day
        self._began = time.monotonic()
        self._allowance = Allowance(0.0)  # until maintenance begins
        self._beside = Beside([self._begin_beside])
        self._is_away = False  # the server of the shared journal did not answer
        self.left_undone = False  # something is to be tried again, whether or not anything changes
        self.look: str | None = None  # what everything looked like when nothing was left to do; None: not known
        self._workspace = workspace
        self._options = options
        self._lease = lease
        self._runs = RunRecords(workspace.paths.runs)
        self._followed_failure = False  # so that the record says that it is mended
        self._started = {
            "run_id": self.run_id,
            "pid": os.getpid(),
            "born": birth_of(os.getpid()),
            "fence": fence,
            "started_at": to_iso(workspace.now()),
        }

    def go(self) -> RunResult:
        """Run the phases and return what became of them; raise LeaseLostError when another run took over."""
        self._clear_dead()
        self._followed_failure = any(map(failures_of, self._runs.latest(1)))
        self._save(RunResult(RUNNING, self.run_id, [], self.alerts))
        try:
            self._drain_spool()
        except LeaseLostError:
            raise
        except EngramError as problem:
            self.left_undone = True
            busy = problem if isinstance(problem, StoreBusyError) else None
            said = problem.message if busy else f"{problem.message} ({problem.hint})"
            result = RunResult(FAILED, self.run_id, [], [*self.alerts, said], busy=busy)
            self._save(result, is_over=True)
            return result
        self.notices, unsettled = see_to_owner(self._workspace)
        self.alerts += unsettled
        if not self._options.phases:
            self._begun = begin_day_note(self._workspace)
        try:
            self._pass_until_quiet(MOST_PASSES if self._options.is_plain else 1)
        finally:
            self._beside.end()
        return self._finish()

    def _begin_beside(self, beside: Beside) -> None:
        """Begin ahead what later phases of this run need; what cannot be begun, they do themselves."""
        due = list_due(self._workspace, self._options)
        if MAINTENANCE in due:
            beside.take_in_words(WordsProcess(self._workspace))
        if SYNTHESIS in due:
            with suppress(EngramError, OSError):
                ask_ahead(self._task(SYNTHESIS))

    def _pass_until_quiet(self, most: int) -> None:
        """Run the phases until all is as it was before they ran; see `settling`."""
        by_phase: dict[str, PhaseResult] = {}
        for _ in range(most):
            before = workspace_fingerprint(self._workspace)
            for phase in list_due(self._workspace, self._options):
                former = by_phase.get(phase.name)
                if former is None or former.status not in FAILED_PHASES:
                    by_phase[phase.name] = self._run_phase(phase, former)
                    self.results = list(by_phase.values())
                    self._save(RunResult(RUNNING, self.run_id, self.results, self.alerts))
            self.look = workspace_fingerprint(self._workspace)
            if self.look is not None and self.look == before:
                return
        self.look = None

    def _run_phase(self, phase: Phase, former: PhaseResult | None) -> PhaseResult:
        self._lease.check()
        self._workspace.progress(phase.name)
        if phase == MAINTENANCE and former is None:
            self._allowance = Allowance(self._left_for_vectors())
        with observed(f"phase {phase.name}") as observation:
            result = run_or_fall_back(self._task(phase), _RUNNERS[phase.name])
            observation.note(status=result.status)
        self._lease.check()
        return result if former is None else merge(former, result)

    def _task(self, phase: Phase) -> PhaseTask:
        """Return one phase with what the settings and the caller give it."""
        settings, options = self._workspace.settings.heartbeat, self._options
        own = settings.phases.of(phase.name)
        command, preset = choose_agent(phase, settings, options.agent_command)
        return PhaseTask(
            self._workspace,
            self.run_id,
            phase,
            command,
            options.timeout_s or own.timeout_s or settings.timeout_s,
            options.force,
            settings.memory_mb,
            options.adopts_orphans,
            self._allowance,
            preset=preset,
            beside=self._beside,
        )

    def _left_for_vectors(self) -> float:
        """Return the seconds that are left for vectors, a share of them however long the other phases took."""
        whole_s = self._workspace.settings.heartbeat.embedding_s
        return max(_LEAST_SHARE * whole_s, whole_s - (time.monotonic() - self._began))

    def _finish(self) -> RunResult:
        """Tell what is news, write report and record, and return the result."""
        self.left_undone |= any(result.status in FAILED_PHASES for result in self.results)
        self.left_undone |= bool(self._workspace.index.unembedded())
        self.left_undone |= any(
            result.stats.get(left) for result in self.results for left in (WEEKS_LEFT, TO_JUDGE_AGAIN)
        )
        if self._is_away and not any(SERVER_AWAY in result.alerts for result in self.results):
            self.alerts.append(SERVER_AWAY)  # no phase met it
        noted = note_alerts(self._workspace, self.results)
        is_worth_telling = bool(noted.news or self.notices) or not all(map(is_nothing, self.results))
        if is_worth_telling:
            told = [*as_results(self.notices), *(_with_news(result, noted.news) for result in self.results)]
            self._report(told)
        unheard = tell_alerts(self._workspace, self.run_id, noted, adopts_orphans=self._options.adopts_orphans)
        self.left_undone |= bool(unheard)
        if not (is_worth_telling or unheard or self._options.phases or self.alerts or self._followed_failure):
            self._runs.discard(self.run_id)
            return RunResult(OK, self.run_id, self.results, [], self._begun)
        alerts = [*self.alerts, *(alert.text for alert in noted.news), *unheard]
        is_warning = bool(alerts) or any(one.alerts or one.status in FAILED_PHASES for one in self.results)
        result = RunResult(
            WITH_WARNINGS if is_warning else OK, self.run_id, self.results, alerts, [*self.notices, *self._begun]
        )
        self._lease.check()
        self._save(result, is_over=True)
        return result

    def _report(self, told: Sequence[PhaseResult]) -> None:
        """Write the report of the run into the daily note; where that is refused, the run's record holds it all."""
        try:
            self.look = report_and_look(self._workspace, self.run_id, told, self.look)
        except RefusedError as problem:  # a link stands there, as the phases that read notes have told
            self.look = None
            if not any(result.alerts for result in told):
                self.alerts.append(f"{problem.message} ({problem.hint})")

    def _clear_dead(self) -> None:
        """Mark runs that came to no end, keep what they had to tell, and remove what they left running or half done."""
        for dead in self._runs.mark_dead(self._workspace.now()):
            end_marked(dead)
            end_marked(dead + MARK)
            note_alerts(self._workspace, results_of(self._runs.find(dead) or {}))
            self.alerts.append(f"run {dead} had died; it is marked failed")
        if self.alerts or self._lease.followed_a_crash:
            sweep(self._workspace)

    def _drain_spool(self) -> None:
        try:
            with self._workspace.writing("heartbeat"):
                pass  # entering drains the spool
        except JournalAwayError:
            self.left_undone = self._is_away = True

    def _save(self, result: RunResult, *, is_over: bool = False) -> None:
        over = {"finished_at": to_iso(self._workspace.now())} if is_over else {}
        self._runs.save({**self._started, **result.as_json(), **over})


def _with_news(result: PhaseResult, news: Sequence[Alert]) -> PhaseResult:
    return result._replace(alerts=[alert.text for alert in news if alert.phase == result.phase])
