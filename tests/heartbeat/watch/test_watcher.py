"""The watcher: what it looks at, when it runs the heartbeat, and how it stops; with real processes and signals."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.errors import StoreBusyError
from engram.heartbeat.child.phases import child_environment
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.heartbeat.run.runner import SETTLED
from engram.heartbeat.run.runner import TICKED_AT
from engram.heartbeat.run.runner import heartbeat_lease
from engram.heartbeat.watch import watcher
from engram.heartbeat.watch.look import look_at
from engram.heartbeat.watch.watcher import Limits
from engram.heartbeat.watch.watcher import Watched
from engram.heartbeat.watch.watcher import watch
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.notes import put_note

EVERY_S = 1800
OK = {"status": "ok", "phases": [], "alerts": []}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often, and take a change for finished soon: nobody waits for seconds in a test."""
    monkeypatch.setattr(watcher, "POLL_S", 0.02)
    monkeypatch.setattr(watcher, "_QUIET_S", 0.1)
    monkeypatch.setattr(watcher, "_REST_RUNS", 0)
    monkeypatch.setattr(watcher, "_SHARE", 1.0)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A heartbeat that only notes in this file for which workspace it was called, and says that it went well."""
    noted = tmp_path / "runs"
    script = f"import json, sys; open({str(noted)!r}, 'a').write(sys.argv[1] + chr(10)); print(json.dumps({OK!r}))"
    monkeypatch.setattr(watcher, "own_command", lambda root, *_: (sys.executable, "-S", "-c", script, str(root)))
    return noted


class Clock:
    """The watcher's own, which a test moves on."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock of the test's, and the time for which the watcher really waits after a change."""
    made = Clock()
    monkeypatch.setattr(watcher, "time", made)
    monkeypatch.setattr(watcher, "_QUIET_S", 2.0)
    return made


def tick(workspace: Workspace) -> None:
    """Let the workspace look as if a heartbeat had just run."""
    lease = heartbeat_lease(workspace)
    with lease.hold():
        lease.note(**{TICKED_AT: to_iso(utc_now()), SETTLED: workspace_fingerprint(workspace)})


def watched(*workspaces: Workspace, for_s: float, **limits: float) -> tuple[watcher.Ended, list[str]]:
    """Watch for so long; a run that goes on by then is waited for."""
    said: list[str] = []
    ended = watch(workspaces, Limits(EVERY_S, for_s, **limits), threading.Event(), said.append)
    return ended, said


def ran(runs: Path) -> list[str]:
    return runs.read_text().splitlines() if runs.exists() else []


def test_where_no_heartbeat_has_run_it_is_due_at_once_and_then_not_again(workspace: Workspace, runs: Path) -> None:
    ended, said = watched(workspace, for_s=3)

    assert (ended, len(ran(runs))) == (("for", 1, (), ()), 1)
    assert said == ["due: the heartbeat runs", "heartbeat ok"]


def test_a_change_is_noticed_and_settles_before_the_heartbeat_runs(workspace: Workspace, clock: Clock) -> None:
    tick(workspace)
    watching = Watched(workspace, EVERY_S)

    for number in range(7):  # somebody is writing, for less than they may keep it waiting
        put_note(workspace, "main/main/2026-03-01.md", "- a line\n" * (number + 1))
        assert (watching.look(), watching.why_run()) == (True, "")
        clock.now_s += 1.9

    clock.now_s += 0.2
    assert (watching.look(), watching.why_run()) == (False, "files changed")


def test_who_does_not_stop_writing_does_not_keep_the_heartbeat_waiting_for_good(
    workspace: Workspace, clock: Clock
) -> None:
    tick(workspace)
    watching = Watched(workspace, EVERY_S)
    told = []

    for number in range(10):
        put_note(workspace, "main/main/2026-03-01.md", "- a line\n" * (number + 1))
        watching.look()
        told.append((clock.now_s - 100, watching.why_run()))
        clock.now_s += 1.9

    assert [why for at, why in told if at < 15] == [""] * 8
    assert [why for at, why in told if at >= 15] == ["files changed"] * 2


def test_where_nothing_changes_nothing_runs_and_it_stops_by_itself(workspace: Workspace, runs: Path) -> None:
    tick(workspace)

    ended, said = watched(workspace, for_s=60, idle_s=0.5)

    assert (ended, said, ran(runs)) == (("idle", 0, (), ()), [], [])


def test_what_changes_after_a_run_is_run_for_again(workspace: Workspace, runs: Path) -> None:
    said: list[str] = []
    stop = threading.Event()

    def tell(line: str) -> None:
        said.append(line)
        if said.count("heartbeat ok") == 2:
            stop.set()
        elif line == "heartbeat ok":
            put_note(workspace, "main/main/2026-03-01.md", "- Anna prefers tea\n")

    ended = watch([workspace], Limits(EVERY_S, 120), stop, tell)

    assert (ended.why, ended.runs, len(ran(runs))) == ("signal", 2, 2)
    assert said == ["due: the heartbeat runs", "heartbeat ok", "files changed: the heartbeat runs", "heartbeat ok"]


def test_what_changed_before_it_began_is_noticed_too(workspace: Workspace, runs: Path) -> None:
    tick(workspace)
    put_note(workspace, "main/main/2026-03-01.md", "- Anna prefers tea\n")

    ended, said = watched(workspace, for_s=2)

    assert said[0] == "files changed: the heartbeat runs"
    assert (ended.runs, len(ran(runs))) == (1, 1)


def test_what_a_run_writes_itself_is_no_change(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = workspace.paths.memory / "main" / "main" / "2026-03-02.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    script = f"open({str(note)!r}, 'a').write('- more' + chr(10)); print('{json.dumps(OK)}')"
    monkeypatch.setattr(watcher, "own_command", lambda root, *_: (sys.executable, "-S", "-c", script, str(root)))

    ended, _ = watched(workspace, for_s=3)

    assert (ended.runs, note.read_text()) == (1, "- more\n")


def test_a_run_that_fails_is_told_and_is_the_exit_code_of_the_whole(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "own_command", lambda *_: (sys.executable, "-S", "-c", "raise SystemExit(3)"))

    ended, said = watched(workspace, for_s=2)

    assert ended.failed == (str(workspace.paths.root),)
    assert said[-1] == "the heartbeat ended with exit code 3"


def test_several_workspaces_are_watched_and_each_line_says_which(
    workspace: Workspace, runs: Path, tmp_path: Path
) -> None:
    other = open_workspace(str(copy_of(workspace, tmp_path / "other")))
    tick(workspace)

    ended, said = watched(workspace, other, for_s=3)

    assert (ended.runs, ran(runs)) == (1, [str(other.paths.root)])
    assert said[0] == f"{other.paths.root}: due: the heartbeat runs"


def test_a_workspace_that_another_watches_is_left_to_it(workspace: Workspace, runs: Path, tmp_path: Path) -> None:
    other = open_workspace(str(copy_of(workspace, tmp_path / "other")))
    with workspace.locks.named("watch", "heartbeat watch").hold(wait_s=0):
        ended, said = watched(workspace, other, for_s=2)
        with pytest.raises(StoreBusyError):
            watched(workspace, for_s=1)

    assert ran(runs) == [str(other.paths.root)]
    assert ended.runs == 1
    assert f"watch is held by heartbeat watch (pid {os.getpid()})" in said[0]


def test_a_run_that_goes_on_is_waited_for_when_the_watcher_stops(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import time; time.sleep(1.5); print('{json.dumps(OK)}')"
    monkeypatch.setattr(watcher, "own_command", lambda *_: (sys.executable, "-S", "-c", script))

    ended, said = watched(workspace, for_s=0.3)

    assert (ended.runs, said[-1]) == (1, "heartbeat ok")


def test_one_that_does_not_end_is_ended(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_ENDING_S", 0.3)
    monkeypatch.setattr(watcher, "own_command", lambda *_: (sys.executable, "-S", "-c", "import time; time.sleep(60)"))

    ended, said = watched(workspace, for_s=0.3)

    assert (ended.runs, ended.failed) == (1, ())
    assert "was ended before it was over" in said[-1]


def test_runs_of_several_workspaces_are_waited_for_no_longer_than_that_of_one(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waits, stop = list[float](), threading.Event()

    def take(_: Watched, wait_s: float = 0) -> None:
        waits.append(wait_s)
        clock.now_s += wait_s

    monkeypatch.setattr(Watched, "take", take)
    stop.set()

    watch([workspace, open_workspace(str(copy_of(workspace, tmp_path / "other")))], Limits(EVERY_S), stop, print)

    assert waits == [10.0, 0.0]


def test_the_look_sees_names_sizes_and_times_and_nothing_that_is_half_written(workspace: Workspace) -> None:
    before = look_at(workspace.paths)
    put_note(workspace, "main/main/.2026-03-01.md.tmp", "half")
    assert look_at(workspace.paths) == before

    note = put_note(workspace, "main/main/2026-03-01.md", "one")
    with_note = look_at(workspace.paths)
    assert with_note != before
    note.write_text("two")
    os.utime(note, ns=(1, 1))
    changed = look_at(workspace.paths)
    assert changed != with_note
    note.unlink()
    assert look_at(workspace.paths) == before


def test_one_that_hangs_is_said_to_and_keeps_no_other_from_running(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(watcher, "_STALLED_S", 0.3)
    monkeypatch.setattr(watcher, "_COMPLAINT_S", 0.0)
    monkeypatch.setattr(watcher, "_ENDING_S", 0.1)
    monkeypatch.setattr(watcher, "_AT_ONCE", 1)
    other = open_workspace(str(copy_of(workspace, tmp_path / "other")))
    script = (
        f"import sys, time; time.sleep(60 * (sys.argv[1] == {str(workspace.paths.root)!r})); print('{json.dumps(OK)}')"
    )
    monkeypatch.setattr(watcher, "own_command", lambda root, *_: (sys.executable, "-S", "-c", script, str(root)))

    ended, said = watched(workspace, other, for_s=1.5)

    hangs = [line for line in said if "the heartbeat hangs: a run goes on since" in line]
    assert len(hangs) == 1
    assert hangs[0].startswith(f"{workspace.paths.root}: ")
    assert f"{other.paths.root}: heartbeat ok" in said
    assert str(workspace.paths.root) in ended.silent


def test_one_that_does_not_run_though_it_is_due_is_said_not_to_and_by_whom_it_is_held(
    workspace: Workspace, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "_COMPLAINT_S", 0.0)
    said, over = [], threading.Event()

    def hear(line: str) -> None:
        said.append(line)
        if "has not run" in line:
            over.set()

    with heartbeat_lease(workspace).hold():
        ended = watch([workspace], Limits(0.2, 60.0), over, hear)

    (told,) = {line for line in said if "has not run" in line}
    assert f"the heartbeat has not run yet: pid {os.getpid()} holds it since" in told
    assert ended.silent == (str(workspace.paths.root),)


def test_one_that_runs_again_is_said_to(workspace: Workspace, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_COMPLAINT_S", 0.0)
    said, silent, over = [], threading.Event(), threading.Event()

    def hear(line: str) -> None:
        said.append(line)
        if "has not run" in line:
            silent.set()
        if line == "the heartbeat runs again":
            over.set()

    def recover() -> None:
        silent.wait(60)
        tick(workspace)

    acting = threading.Thread(target=recover)
    acting.start()
    ended = watch([workspace], Limits(0.4, 60.0), over, hear)
    acting.join()

    assert "the heartbeat runs again" in said
    assert ended.failed == ()


def copy_of(workspace: Workspace, root: Path) -> Path:
    (root / ".engram").mkdir(parents=True)
    for name in ("memory", "life"):
        (root / name).mkdir()
    (root / "engram.toml").write_bytes(workspace.paths.settings.read_bytes())
    return root


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_real_command_notices_a_note_runs_the_heartbeat_and_stops_on_a_signal(
    workspace: Workspace, number: int, code: int
) -> None:
    tick(workspace)
    root = workspace.paths.root
    command = [sys.executable, "-m", "engram", "--workspace", str(root), "heartbeat", "watch", "--json"]
    environment = {**child_environment(), "ENGRAM_EMBEDDINGS": "none"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "watching" in process.stderr.readline()
        if number == signal.SIGTERM:
            put_note(workspace, "main/main/2026-03-01.md", "- We decided to use PostgreSQL 16 for Billing.\n")
            assert "files changed" in process.stderr.readline()
            assert "heartbeat ok" in process.stderr.readline()
        process.send_signal(number)
        out, _ = process.communicate(timeout=120)

    assert process.returncode == code
    assert json.loads(out)["stopped"] == "signal"
    assert json.loads(out)["runs"] == (number == signal.SIGTERM)
