"""Ticks that find nothing, runners that stand still, children that die, and phases that break."""

import dataclasses
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.base.text import sha256_hex
from engram.errors import LeaseLostError
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phases import DOMAIN_SCAN
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.phases import MAINTENANCE
from engram.heartbeat.child.phases import PHASES
from engram.heartbeat.child.phases import child_environment
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.domains.phase import run_domain_scan
from engram.heartbeat.report.run_report import write_report
from engram.heartbeat.review.phase import run_review
from engram.heartbeat.run import one_run
from engram.heartbeat.run import quiescence
from engram.heartbeat.run.health import heartbeat_standing
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.result import RunResult
from engram.heartbeat.run.runner import heartbeat_lease
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.domain import DomainType
from engram.ports.database import FactFilter
from engram.rules import review_queue
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.services.domains.registry import load_registry
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.making import NOW

AGENT = Path(__file__).with_name("agent.py")
NOTE = "## Decisions\n\n- We decided to use PostgreSQL 16 for Billing.\n"


@dataclasses.dataclass
class Clock:
    """The time that a workspace sees."""

    at: dt.datetime = NOW

    def __call__(self) -> dt.datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which phases do their work, and not how children are run."""
    answer_in_process(monkeypatch)


@pytest.fixture
def settled(workspace: Workspace, clock: Clock, in_process: None) -> Workspace:
    """A workspace with a note, a domain and an entity, after as many ticks as it needs to come to rest."""
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(workspace, "main/main/2026-02-24.md", NOTE)
    resting = open_workspace(str(workspace.paths.root), now=clock)
    for _ in range(3):
        run_heartbeat(resting)
    return resting


@pytest.fixture
def resting(workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace at rest whose phases find nothing whatever happens: a tick takes no time."""
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(workspace, "main/main/2026-02-24.md", NOTE)

    def find_nothing(task: PhaseTask) -> PhaseResult:
        return PhaseResult(task.phase.name, "skipped", "looked and found nothing", {}, [])

    monkeypatch.setattr(one_run, "_RUNNERS", dict.fromkeys(one_run._RUNNERS, find_nothing))
    quick = open_workspace(str(workspace.paths.root), now=clock)
    run_heartbeat(quick)
    return quick


def content(workspace: Workspace, *, without: str = "heartbeat.lock") -> dict[str, tuple[bytes, int]]:
    """Return bytes and time of every file but the lock."""
    files = (file for file in workspace.paths.root.rglob("*") if file.is_file() and file.name != without)
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def tree(workspace: Workspace) -> dict[str, tuple[str, int]]:
    """Return digest and time of everything, folders too, but the words of the heartbeat's lock."""
    found = {}
    for path in workspace.paths.root.rglob("*"):
        if path.name != "heartbeat.lock":
            data = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (sha256_hex(data), path.stat().st_mtime_ns)
    return found


def is_quiet(result: RunResult) -> bool:
    return {phase.summary for phase in result.phases} == {"nothing new since the last run"}


# --- quiet ticks -------------------------------------------------------------------------------------------------


def test_a_quiet_tick_writes_nothing_and_opens_no_database(settled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(settled)
    monkeypatch.setattr(settled.database, "attach", lambda **_: pytest.fail("the database was opened"))
    result = run_heartbeat(settled)

    assert (result.status, result.alerts, is_quiet(result)) == ("ok", [], True)
    assert {phase.status for phase in result.phases} == {"skipped"}
    assert content(settled) == before


@pytest.mark.usefixtures("in_process")
def test_the_tick_after_a_run_that_wrote_something_writes_nothing(workspace: Workspace) -> None:
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    for day in (10, 11, 24):
        put_note(workspace, f"main/main/2026-02-{day}.md", f"{NOTE}- Billing talks to {day} banks over SEPA.\n")
    wrote = run_heartbeat(workspace)
    before = tree(workspace)
    second = run_heartbeat(workspace)

    assert {phase.phase for phase in wrote.phases if phase.changed} == {"extraction", "synthesis"}
    assert is_quiet(second)
    assert tree(workspace) == before


def test_a_quiet_tick_is_a_tick_all_the_same(resting: Workspace, clock: Clock) -> None:
    clock.at += dt.timedelta(minutes=30)
    size = (resting.paths.locks / "heartbeat.lock").stat().st_size
    run_heartbeat(resting)

    assert heartbeat_lease(resting).words()["ticked_at"] == "2026-03-02T10:30:00Z"
    assert (resting.paths.locks / "heartbeat.lock").stat().st_size == size


def append(workspace: Workspace) -> None:
    with (workspace.paths.memory / "main/main/2026-02-24.md").open("a") as note:
        note.write("- We decided that Billing talks to the bank over SEPA.\n")


def touch_settings(workspace: Workspace) -> None:
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write("# changed\n")


def edit_summary(workspace: Workspace) -> None:
    summary = workspace.paths.life / "projects" / "billing" / "summary.md"
    summary.write_text(summary.read_text() + "\nmine\n")


def spool(workspace: Workspace) -> None:
    args = {"entity": "projects/billing", "text": "Billing is old", "source": {"actor": "user"}}
    workspace.spool.put(workspace.envelope("write", args).model_dump(mode="json"))


def leave_held(workspace: Workspace) -> None:
    lock = workspace.paths.locks / "heartbeat.lock"
    words = {**json.loads(lock.read_text()), "held": True, "pid": 2**22 + 1, "born": "then"}
    lock.write_text(json.dumps(words))


CHANGES: dict[str, Callable[[Workspace], object]] = {
    "a line in a note": append,
    "a new note": lambda workspace: put_note(workspace, "main/other/2026-03-01.md", NOTE),
    "a note that went": lambda workspace: (workspace.paths.memory / "main/main/2026-02-24.md").unlink(),
    "a command that waits": spool,
    "a fact": lambda workspace: workspace.submit("write", {"entity": "projects/billing", "text": "Billing is old"}),
    "an edit in life/": edit_summary,
    "a setting": touch_settings,
    "a database that is lost": lambda workspace: workspace.database.destroy(),
    "a run that was killed": leave_held,
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_makes_the_next_tick_look(resting: Workspace, change: str) -> None:
    assert is_quiet(run_heartbeat(resting))
    CHANGES[change](resting)

    assert not is_quiet(run_heartbeat(resting))
    assert is_quiet([run_heartbeat(resting) for _ in range(2)][-1])


def test_the_turn_of_the_day_makes_the_next_tick_look(resting: Workspace, clock: Clock) -> None:
    clock.at += dt.timedelta(hours=13, minutes=59)
    assert is_quiet(run_heartbeat(resting))
    clock.at += dt.timedelta(minutes=1)
    assert not is_quiet(run_heartbeat(resting))


def test_a_tick_that_looked_and_found_nothing_leaves_no_record(resting: Workspace) -> None:
    before = RunRecords(resting.paths.runs).ids()
    append(resting)
    run_heartbeat(resting)

    assert RunRecords(resting.paths.runs).ids() == before


@pytest.mark.parametrize("options", [RunOptions(force=True), RunOptions(phases=("maintenance",))])
def test_who_asks_by_hand_is_never_told_that_nothing_is_new(resting: Workspace, options: RunOptions) -> None:
    assert not is_quiet(run_heartbeat(resting, options))


def test_a_phase_that_failed_is_tried_again_though_nothing_changed(
    resting: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(resting)
    with monkeypatch.context() as broken:
        break_phase(broken, EXTRACTION.name, ValueError("no"))
        results = [run_heartbeat(resting) for _ in range(3)]
    mended = [run_heartbeat(resting) for _ in range(3)]

    assert [result.phases[0].status for result in results] == ["failed"] * 3
    assert [len(result.alerts) for result in results] == [1, 0, 0]  # told once
    assert [is_quiet(result) for result in mended] == [False, True, True]


def test_the_first_run_without_failure_leaves_a_record_though_it_found_nothing(
    resting: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        break_phase(broken, EXTRACTION.name, ValueError("no"))
        append(resting)
        run_heartbeat(resting)
    failed = heartbeat_standing(resting)
    run_heartbeat(resting)
    mended, kept = heartbeat_standing(resting), RunRecords(resting.paths.runs).ids()
    append(resting)
    run_heartbeat(resting)

    assert [one["phase"] for one in failed["failed"]] == ["extraction"]
    assert (mended["failed"], mended["last"]["status"]) == ([], "ok")
    assert RunRecords(resting.paths.runs).ids() == kept  # what followed a run without failure leaves none


class KilledError(BaseException):
    """What nobody catches."""


@pytest.mark.parametrize("step", ["note_alerts", "report_and_look", "tell_alerts"])
def test_what_a_run_found_that_was_killed_before_it_told_is_told_by_the_next(
    resting: Workspace, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def kill(*_: Any, **__: Any) -> None:
        raise KilledError

    says = iter([PhaseResult("review", "warning", "", {}, ["said once"])])
    silent = one_run._RUNNERS["review"]
    once = {**one_run._RUNNERS, "review": lambda task: next(says, None) or silent(task)}
    monkeypatch.setattr(one_run, "_RUNNERS", once)
    append(resting)
    with monkeypatch.context() as killing:
        killing.setattr(one_run, step, kill)
        with pytest.raises(KilledError):
            run_heartbeat(resting)
    told, later = run_heartbeat(resting), run_heartbeat(resting)
    report = (resting.paths.memory / "main/heartbeat/2026-03-02.md").read_text()

    assert "said once" in told.alerts
    assert "alert: said once" in report
    assert "said once" not in later.alerts


@pytest.mark.usefixtures("in_process")
def test_what_a_scan_noted_is_told_though_the_run_died_before_it_knew_of_it(resting: Workspace) -> None:
    add_domains(resting, "site")
    (resting.paths.domains / "site/decisions.md").write_text("# Decisions\nPROPOSAL: move to a faster host\n")
    run_domain_scan(PhaseTask(resting, "run-1", DOMAIN_SCAN, (), 30, force=False))  # and died

    assert [alert for alert in run_heartbeat(resting).alerts if "faster host" in alert]
    assert not [alert for alert in run_heartbeat(resting).alerts if "faster host" in alert]


def test_alerts_that_nobody_heard_make_the_next_tick_tell_them(
    resting: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = iter([["no network"], ["no network"], []])
    monkeypatch.setattr(one_run, "tell_alerts", lambda *_, **__: next(problems))
    append(resting)
    ticks = [run_heartbeat(resting) for _ in range(4)]

    assert [tick.alerts for tick in ticks] == [["no network"], ["no network"], [], []]
    assert [is_quiet(tick) for tick in ticks] == [False, False, False, True]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("write", [append, spool])
def test_what_others_write_while_the_last_phase_runs_is_read_in_the_same_run(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, write: Callable[[Workspace], object]
) -> None:
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(workspace, "main/main/2026-02-24.md", NOTE)
    writes = iter([write])

    def meanwhile(task: PhaseTask) -> PhaseResult:
        for late in writes:
            late(workspace)
        return run_review(task)

    monkeypatch.setattr(one_run, "_RUNNERS", {**one_run._RUNNERS, "review": meanwhile})
    result = run_heartbeat(workspace)

    with workspace.reading() as database:
        facts = database.list_facts(FactFilter())
    items = json.loads((workspace.paths.life / "projects/billing/items.json").read_text())

    assert len(facts) == len(items["facts"]) == 2
    assert len(result.phases) == len({phase.phase for phase in result.phases})
    assert is_quiet(run_heartbeat(workspace))


@pytest.fixture
def ran(resting: Workspace, monkeypatch: pytest.MonkeyPatch, in_process: None) -> list[str]:
    """The phases that run from here on, by name: the domain scan is real, the others of `resting` find nothing."""
    names: list[str] = []
    runners = {**one_run._RUNNERS, DOMAIN_SCAN.name: run_domain_scan}

    def noted(task: PhaseTask) -> PhaseResult:
        names.append(task.phase.name)
        return runners[task.phase.name](task)

    monkeypatch.setattr(one_run, "_RUNNERS", dict.fromkeys(runners, noted))
    return names


def passes(workspace: Workspace, ran: list[str]) -> int:
    """Return how often the phases run in a tick."""
    before = ran.count(DOMAIN_SCAN.name)
    run_heartbeat(workspace)
    return ran.count(DOMAIN_SCAN.name) - before


def add_domains(workspace: Workspace, *names: str) -> None:
    desk = DomainCommands(workspace.files, now=workspace.now(), role=None)
    for name in names:
        desk.add(NewDomain(name, DomainType.CRON_TASK, cadence="1h"))


def test_silence_alone_makes_the_next_tick_look_and_is_told_once(
    resting: Workspace, clock: Clock, ran: list[str]
) -> None:
    add_domains(resting, "site")
    before = [passes(resting, ran) for _ in range(2)]
    clock.at += dt.timedelta(hours=2)
    after = [passes(resting, ran) for _ in range(2)]

    assert (before[0] > 0, before[1], after[0] > 0, after[1]) == (True, 0, True, 0)
    assert load_registry(resting.files).domains["site"].alerted_at == clock.at


def test_silence_of_a_domain_that_cannot_be_looked_at_comes_to_rest(
    resting: Workspace, clock: Clock, ran: list[str]
) -> None:
    add_domains(resting, "billing", "site")
    changelog = resting.paths.domains / "billing/changelog.md"
    changelog.rename(resting.paths.root / "elsewhere.md")
    changelog.symlink_to(resting.paths.root / "elsewhere.md")
    before = [passes(resting, ran) for _ in range(2)]
    clock.at += dt.timedelta(hours=2)
    after = [passes(resting, ran) for _ in range(2)]
    alerted = {one.name: one.alerted_at for one in load_registry(resting.files).domains.values()}

    assert (before[0] > 0, before[1], after[0] > 0, after[1]) == (True, 0, True, 0)
    assert alerted == {"billing": None, "site": clock.at}


def test_a_registry_of_domains_that_does_not_read_is_tried_once_a_tick(resting: Workspace, ran: list[str]) -> None:
    resting.paths.domain_registry.write_text("{")
    first, second = passes(resting, ran), passes(resting, ran)

    assert (first, second) == (1, 1)
    assert ran.count(MAINTENANCE.name) == 2


def append_to_report(workspace: Workspace) -> None:
    with (workspace.paths.memory / "main/heartbeat/2026-03-02.md").open("a") as note:
        note.write(f"\n{NOTE}")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("write", [append, append_to_report])
def test_what_others_write_with_the_report_is_read_by_the_next_tick(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, write: Callable[[Workspace], object]
) -> None:
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(workspace, "main/main/2026-02-24.md", "- We decided to launch Billing in May.\n")
    real = write_report

    def meanwhile(*args: Any) -> str | None:
        block = real(*args)
        write(workspace)
        return block

    with monkeypatch.context() as patched:
        patched.setattr(quiescence, "write_report", meanwhile)
        run_heartbeat(workspace)
    second = run_heartbeat(workspace)

    assert not is_quiet(second)
    assert second.phases[0].stats["entries"] > 0
    assert is_quiet(run_heartbeat(workspace))


# --- phases that break -------------------------------------------------------------------------------------------


def break_phase(monkeypatch: pytest.MonkeyPatch, name: str, problem: Exception) -> None:
    def broken(task: PhaseTask) -> PhaseResult:
        raise problem

    monkeypatch.setattr(one_run, "_RUNNERS", {**one_run._RUNNERS, name: broken})


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("problem", [ValueError("no sense"), OSError(28, "No space left on device"), KeyError("x")])
def test_a_phase_that_breaks_in_the_runner_does_not_stop_the_others(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    put_note(workspace, "main/main/a.md", NOTE)
    break_phase(monkeypatch, EXTRACTION.name, problem)
    result = run_heartbeat(workspace)
    record = RunRecords(workspace.paths.runs).latest(1)[0]
    statuses = {phase.phase: phase.status for phase in result.phases}

    assert (result.status, statuses["extraction"], statuses["maintenance"]) == ("ok_with_warnings", "failed", "ok")
    assert type(problem).__name__ in record["phases"][0]["summary"]
    report = (workspace.paths.memory / "main" / "heartbeat" / "2026-03-02.md").read_text()
    assert type(problem).__name__ in report


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("phase", [phase.name for phase in PHASES])
def test_a_phase_whose_child_is_late_has_timed_out_and_keeps_what_it_found(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    def late(task: PhaseTask) -> PhaseResult:
        task.so_far.stats["entries"] = 3
        task.so_far.alerts.append("found before")
        raise PhaseFailedError("the child was stopped (timed out)", timed_out=True)

    monkeypatch.setattr(one_run, "_RUNNERS", {**one_run._RUNNERS, phase: late})
    (result,) = run_heartbeat(workspace, RunOptions(phases=(phase,))).phases

    assert (result.status, result.stats) == ("timed_out", {"entries": 3})
    assert result.alerts == ["found before", f"{phase}: the child was stopped (timed out)"]


def test_a_review_whose_child_is_late_still_says_that_too_much_waits(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_queue, "MOST_OBSERVATIONS", 1)
    workspace.submit("observe", {"text": "The deploys take too long"})
    set_up = open_workspace(str(workspace.paths.root), now=lambda: NOW)
    slow = RunOptions(phases=("review",), agent_command=(sys.executable, str(AGENT), "slow"), timeout_s=0.3)
    (result,) = run_heartbeat(set_up, slow).phases

    assert result.status == "timed_out"
    assert result.alerts == [
        "1 observations or more wait for review: engram review",
        "review: the child was stopped (timed out)",
    ]


def test_settings_of_one_phase_go_before_those_of_all(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write(
            '\n[heartbeat]\ntimeout_s = 9\nmemory_mb = 999\nagent_command = ["all"]\n'
            '[heartbeat.phases.extraction]\ntimeout_s = 5\nagent_command = ["own", "x"]\n'
        )
    seen: dict[str, tuple[Any, ...]] = {}

    def note(task: PhaseTask) -> PhaseResult:
        seen[task.phase.name] = (task.timeout_s, task.memory_mb, task.agent_command)
        return PhaseResult(task.phase.name, "skipped", "", {}, [])

    monkeypatch.setattr(one_run, "_RUNNERS", dict.fromkeys(one_run._RUNNERS, note))
    set_up = open_workspace(str(workspace.paths.root), now=lambda: NOW)
    run_heartbeat(set_up)
    assert seen["extraction"] == (5, 999, ("own", "x"))
    assert seen["maintenance"][:2] == (9, 999)
    run_heartbeat(set_up, RunOptions(timeout_s=1, agent_command=("given",)))
    assert seen.get("extraction") == (1, 999, ("given",))


@pytest.mark.usefixtures("in_process")
def test_a_phase_that_is_switched_off_runs_only_when_it_is_named(workspace: Workspace) -> None:
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write("\n[heartbeat.phases.maintenance]\nenabled = false\n")
    set_up = open_workspace(str(workspace.paths.root), now=lambda: NOW)

    assert MAINTENANCE.name not in [phase.phase for phase in run_heartbeat(set_up).phases]
    assert [phase.phase for phase in run_heartbeat(set_up, RunOptions(phases=("maintenance",))).phases] == [
        "maintenance"
    ]


# --- runners that stand still, and children that die -------------------------------------------------------------


ASKED_ONCE = """
import sys
from engram.heartbeat.child import child_answer
child_answer.RETRIES = 0
from engram.cli.main import main
from engram.rules import review_queue
sys.exit(main(sys.argv[1:]))
"""


def start(workspace: Workspace, mode: str, lease_s: int) -> subprocess.Popen[bytes]:
    """Start a run whose agent answers late, and wait until the agent is asked."""
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write(f"\n[heartbeat]\nlease_s = {lease_s}\n")
    put_note(workspace, "main/main/a.md", NOTE)
    command = [sys.executable, "-c", ASKED_ONCE, "--workspace", str(workspace.paths.root), "heartbeat", "run", "--json"]
    agent = ["--phase", "extraction", "--agent-command", f"{sys.executable} {AGENT} {mode}", "--timeout", "60"]
    process = subprocess.Popen(
        [*command, *agent], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=child_environment()
    )
    deadline = time.monotonic() + 60
    while not agents_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


def agents_of(pid: int) -> list[int]:
    """Return the children of a process that are agents by now: before that, a child has the arguments of its parent."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and str(AGENT).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@linux
def test_a_runner_that_stood_still_is_replaced_and_refused_when_it_wakes(workspace: Workspace) -> None:
    stopped = start(workspace, "slow", lease_s=2)
    (agent,) = agents_of(stopped.pid)
    os.kill(stopped.pid, signal.SIGSTOP)
    set_up = open_workspace(str(workspace.paths.root), now=lambda: NOW)
    deadline = time.monotonic() + 30
    while (result := run_heartbeat(set_up)).status == "skipped" and time.monotonic() < deadline:
        time.sleep(0.1)
    agent_lives = Path(f"/proc/{agent}/cmdline").exists() and Path(f"/proc/{agent}/cmdline").read_bytes() != b""
    os.kill(stopped.pid, signal.SIGCONT)
    said = json.loads(stopped.communicate(timeout=60)[0])

    assert "marked failed" in result.alerts[0]
    assert not agent_lives  # what the first run had started is ended by the second
    assert (stopped.returncode, said["status"]) == (1, "failed")
    assert "another has taken over" in said["alerts"][-1]
    assert sorted(record["status"] for record in RunRecords(workspace.paths.runs).latest(9)) == [
        "failed",
        "ok_with_warnings",
    ]


def test_the_store_refuses_whoever_has_lost_the_lease(workspace: Workspace) -> None:
    lease = heartbeat_lease(workspace)
    with lease.hold():
        workspace.fence = lease.check
        workspace.submit("entity-add", {"path": "people/anna"})
        head = workspace.journal.head()
        lock = workspace.paths.locks / "heartbeat.lock"
        words = json.loads(lock.read_text())
        lock.write_text(json.dumps({**words, "fence": words["fence"] + 1}))
        with pytest.raises(LeaseLostError), workspace.writing("heartbeat"):
            pass

    assert workspace.journal.head() == head


@linux
def test_a_child_that_is_killed_is_a_failed_phase_and_the_next_run_mends_it(workspace: Workspace) -> None:
    process = start(workspace, "slow", lease_s=60)
    for agent in agents_of(process.pid):
        os.kill(agent, signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])

    assert (process.returncode, said["status"], said["phases"][0]["status"]) == (0, "ok_with_warnings", "failed")
    assert run_heartbeat(workspace, RunOptions(phases=("extraction",))).phases[0].status == "ok"


def test_what_a_killed_writer_half_wrote_is_removed_and_nothing_else(resting: Workspace) -> None:
    half = [resting.paths.life / "people" / ".tmp-1", resting.paths.memory / ".tmp-2", resting.paths.runs / ".tmp-3"]
    kept = [resting.paths.memory / "main" / ".hidden.md", resting.paths.spool / ".tmp-4"]
    for file in [*half, *kept]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("half")
    run_heartbeat(resting)
    assert all(file.exists() for file in half)  # nobody died
    leave_held(resting)
    run_heartbeat(resting)

    assert [file.exists() for file in half] == [False] * 3
    assert [file.exists() for file in kept] == [True] * 2
