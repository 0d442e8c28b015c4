"""The subagents that the heartbeat runs: those of domains that are due, each in a process of its own.

Each step of a run is in the queue before the next begins (`services.domains.spawn_queue`). A run of which nobody knows
how far it came is said to have been interrupted and is not begun again at once: what it did outside cannot be undone.
An answer that is kept is applied once, however often the heartbeat dies in between.
"""

import datetime as dt
from collections import Counter
from concurrent.futures import FIRST_COMPLETED
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait
from typing import Any
from typing import Final

from engram.base.clock import to_iso
from engram.base.disk.faults import fault_point
from engram.base.ids import new_id
from engram.errors import EngramError
from engram.heartbeat.child.budget import note_spent
from engram.heartbeat.child.budget import spent_today
from engram.heartbeat.child.budget import why_spent
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.process_tree import end_marked
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.domains.agent_news import Written
from engram.heartbeat.domains.agent_news import write_news
from engram.heartbeat.domains.subagent import Said
from engram.heartbeat.domains.subagent import Subagent
from engram.heartbeat.domains.subagent import choose_subagent
from engram.heartbeat.domains.subagent import run_subagent
from engram.heartbeat.report.alerts import note_alerts
from engram.model.domain import Domain
from engram.model.domain import SpawnEntry
from engram.model.domain import SpawnQueue
from engram.model.domain import SpawnState
from engram.operations.domains.domain_lock import hold_domains
from engram.ports.text_files import TextFiles
from engram.rules.domain import next_pace_s
from engram.rules.handoff.handoff import parse_handoff
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import save_registry
from engram.services.domains.spawn_queue import due_domains
from engram.services.domains.spawn_queue import load_queue
from engram.services.domains.spawn_queue import save_queue
from engram.workspace import Workspace

INTERRUPTED: Final = "was interrupted, and what it had done by then is not known"


def run_domain_spawn(task: PhaseTask) -> PhaseResult:
    """Run the subagents that are due, as many at once as the settings say, and write what they answer."""
    workspace = task.workspace
    if not workspace.paths.domain_registry.exists():
        return PhaseResult(task.phase.name, SKIPPED, "there are no domains", {}, [])
    run = _Spawning(task)
    run.recover()
    run.enqueue()
    run.work_off()
    if not run.counts and not task.so_far.alerts:
        return PhaseResult(task.phase.name, SKIPPED, "no subagent is due", {}, [])
    done = run.counts["answered"]
    summary = f"{done} {'subagent' if done == 1 else 'subagents'} ran"
    status = WARNING if task.so_far.alerts else SUCCEEDED
    return PhaseResult(task.phase.name, status, summary, dict(run.counts), task.so_far.alerts, changed=bool(run.counts))


class _Spawning:
    """The subagents of one run of the heartbeat."""

    def __init__(self, task: PhaseTask) -> None:
        self._task = task
        self._workspace: Workspace = task.workspace
        self._queue = load_queue(self._workspace.files)
        self.counts: Counter[str] = Counter()
        self._alerts = task.so_far.alerts

    # -- what an earlier run left

    def recover(self) -> None:
        """End what a dead run left at work and say so, and apply the answers that it kept."""
        for entry in [*self._queue.entries.values()]:
            if entry.state == SpawnState.RUNNING:
                end_marked(entry.mark)
                self._finish(entry, f"{INTERRUPTED} (begun {_moment(entry.begun_at)})")
            elif entry.state == SpawnState.ANSWERED:
                self._apply(entry)

    def enqueue(self) -> None:
        """Put what is due into the queue, and take out what is not to be run any more."""
        registry = load_registry(self._workspace.files)
        due = {one.name for one in due_domains(registry, self._workspace.now())}
        queue = self._queue
        for name in queue.entries.keys() - due:
            queue = queue.without(name)
        for name in sorted(due - queue.entries.keys()):
            queue = queue.with_entry(SpawnEntry(id=new_id(), domain=name))
        if queue != self._queue:
            self._save(queue, "queued")

    # -- what is due

    def work_off(self) -> None:
        """Run what waits, in the order in which it became due."""
        registry = load_registry(self._workspace.files)
        ready = [one for one in due_domains(registry, self._workspace.now()) if one.name in self._queue.entries]
        at_once = self._workspace.settings.heartbeat.domains_at_once
        running: dict[Future[Said], SpawnEntry] = {}
        with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="subagent") as pool:
            try:
                while ready or running:
                    while ready and len(running) < at_once:
                        if (asked := self._choose(ready.pop(0))) is not None:
                            entry = self._begin(asked)
                            running[pool.submit(self._run, asked, entry.mark)] = entry
                    for done in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                        self._take(running.pop(done), done.result())
            finally:
                for future in running:
                    future.cancel()

    def _choose(self, domain: Domain) -> Subagent | None:
        """Return who is asked for a domain; None where nobody is, which is said, and it stays due."""
        settings = self._workspace.settings.heartbeat
        try:
            asked = choose_subagent(self._task, domain)
        except (EngramError, OSError) as problem:
            self._alerts.append(f"domain {domain.name}: its subagent was not run: {problem}")
            self._leave(domain.name)
            return None
        if asked is None:
            why = "nobody is set to do it (engram config heartbeat.agent, or engram domain spawn --agent)"
            self._alerts.append(f"domain {domain.name} is to be run, but {why}")
            self._leave(domain.name)
            return None
        if asked.preset is not None and (spent := why_spent(spent_today(self._workspace), settings)):
            self._alerts.append(f"the subagents of domains wait: {spent}")
            self._leave(domain.name)
            return None
        return asked

    def _leave(self, name: str) -> None:
        self._save(self._queue.without(name), "left")

    def _begin(self, asked: Subagent) -> SpawnEntry:
        entry = self._queue.entries[asked.domain]
        mark = f"{self._task.run_id}.{entry.id}"
        begun = entry.model_copy(update={"state": SpawnState.RUNNING, "begun_at": self._workspace.now(), "mark": mark})
        self._save(self._queue.with_entry(begun), "begun")
        return begun

    def _run(self, asked: Subagent, mark: str) -> Said:
        return run_subagent(self._task, asked, mark, self._workspace.fence)

    def _take(self, entry: SpawnEntry, said: Said) -> None:
        """Keep what a subagent said, count what it took, and apply it."""
        if said.usage.tokens:
            note_spent(self._workspace, said.usage)
            taken = self._task.taken
            taken.by = taken.by or "domain agents"
            taken.calls += 1
            taken.usage = taken.usage.plus(said.usage)
        if said.raw and said.problem:
            name = f"{self._task.phase.name}-{entry.domain}"
            RunRecords(self._workspace.paths.runs).keep_answer(self._task.run_id, name, said.raw)
        answered = entry.model_copy(
            update={
                "state": SpawnState.ANSWERED,
                "answer": said.answer,
                "problem": said.problem,
                "took_s": said.took_s,
                "tokens": said.usage.tokens,
                "cost_usd": said.usage.cost_usd,
            }
        )
        self._save(self._queue.with_entry(answered), "answered")
        self._apply(answered)

    # -- what was answered

    def _apply(self, entry: SpawnEntry) -> None:
        """Write what a subagent answered, once: a run that is noted already is only taken out of the queue."""
        if not entry.answer:
            self._finish(entry, f"gave no answer: {entry.problem}")
            return
        handoff = parse_handoff(entry.answer, self._task.phase.template)
        written = Written({}, [])
        with hold_domains(self._workspace, "heartbeat"):
            if not _is_noted(self._workspace.files, entry):
                written = write_news(self._workspace, handoff)
        fault_point("after-spawn-written")
        self._alerts += [f"domain {entry.domain}: {alert}" for alert in handoff.alerts]
        self._alerts += written.alerts
        self.counts.update(written.stats)
        self._finish(entry, "", is_busy=bool(written.stats))

    def _finish(self, entry: SpawnEntry, problem: str, *, is_busy: bool = False) -> None:
        """Note in the domain that a run is over, then take it out of the queue."""
        if problem:
            self._alerts.append(f"domain {entry.domain}: its subagent {problem}")
            # Once the run is noted, no heartbeat finds this again.
            note_alerts(self._workspace, [PhaseResult(self._task.phase.name, WARNING, "", {}, self._alerts)])
        with hold_domains(self._workspace, "heartbeat"):
            if not _is_noted(self._workspace.files, entry):
                self._note(entry, is_busy=None if problem else is_busy)
        fault_point("after-spawn-noted")
        self.counts["failed" if problem else "answered"] += 1
        self._save(self._queue.without(entry.domain), "over")

    def _note(self, entry: SpawnEntry, *, is_busy: bool | None) -> None:
        """Note when a domain is due next: by its pace after an answer; soon when there was none (`is_busy` is None)."""
        registry, now = load_registry(self._workspace.files), self._workspace.now()
        domain = registry.domains.get(entry.domain)
        if domain is None or domain.spawning is None:  # switched off since
            return
        bounds_s = self._workspace.settings.heartbeat.pace_bounds_s
        known = domain.spawning
        pace_s = known.pace_s if is_busy is None else next_pace_s(known.pace_s, bounds_s, is_busy=is_busy)
        noted = known.model_copy(
            update={
                "next_at": now + dt.timedelta(seconds=bounds_s[0] if is_busy is None else pace_s),
                "pace_s": pace_s,
                "last_id": entry.id,
                "last_at": now,
                "runs": known.runs + 1,
                "took_s": round(known.took_s + entry.took_s, 3),
                "tokens": known.tokens + entry.tokens,
                "cost_usd": known.cost_usd + entry.cost_usd,
            }
        )
        update: dict[str, Any] = {"spawning": noted}
        if is_busy is not None:
            update["active_at"] = max(now, domain.active_at)
        save_registry(self._workspace.files, registry.with_domain(domain.model_copy(update=update)))

    def _save(self, queue: SpawnQueue, step: str) -> None:
        save_queue(self._workspace.files, queue, step)
        self._queue = queue


def _is_noted(files: TextFiles, entry: SpawnEntry) -> bool:
    domain = load_registry(files).domains.get(entry.domain)
    return domain is not None and domain.spawning is not None and domain.spawning.last_id == entry.id


def _moment(at: dt.datetime | None) -> str:
    return to_iso(at.replace(microsecond=0)) if at else "at an unknown time"
