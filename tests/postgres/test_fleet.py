"""A fleet over one server, as its operator sees it: workers that are killed, slow workspaces, moves under way."""

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engram.errors import BadValueError
from engram.errors import LeaseLostError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.heartbeat.fleet import worker
from engram.heartbeat.fleet.tick_limits import TickLimits
from engram.heartbeat.fleet.tick_process import Ticked
from engram.heartbeat.fleet.tick_process import run_tick
from engram.heartbeat.fleet.worker import Tick
from engram.heartbeat.fleet.worker import WorkerOptions
from engram.heartbeat.fleet.worker import work
from engram.model.changes.record import Record
from engram.model.fleet import Member
from engram.operations.fleet.membership import add_members
from engram.operations.fleet.relocation import hand_over
from engram.operations.fleet.relocation import move_member
from engram.operations.fleet.relocation import settle_in
from engram.operations.notes import note_line
from engram.store.embedding.choice import PROVIDER_VARIABLE
from engram.store.postgres.fleet_registry import FleetRegistry
from tests.postgres.machines import lines_of
from tests.postgres.machines import make_machine
from tests.postgres.machines import opened
from tests.postgres.machines import texts
from tests.postgres.machines import write
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres
LIMITS = TickLimits(120.0, 4096)
HERE = "here"


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.make_database()


@pytest.fixture(autouse=True)
def _without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROVIDER_VARIABLE, "none")


@pytest.fixture
def registry(url: str) -> Iterator[FleetRegistry]:
    found = FleetRegistry(url, 5.0)
    yield found
    found.close()


def add(url: str, *names: str, every_s: int = 60, host: str | None = None) -> None:
    add_members(url, names, every_s=every_s, host=host or HERE, is_hosted=host is not None, dry_run=False)


def run(url: str, root: Path, *, host: str = HERE, limits: TickLimits = LIMITS, lease_s: float = 30.0) -> list[Tick]:
    """Run everything that is due, as `fleet tick --once` does."""
    told: list[Tick] = []
    work(WorkerOptions(url, host, root, lease_s, limits, is_once=True), told.append, threading.Event())
    return told


def make_due(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE engram.fleet SET due_at = now() - interval '1 second'")


def test_due_workspaces_are_run_once_each_in_folders_of_their_own(url: str, tmp_path: Path) -> None:
    add(url, "anna", "bert")

    first, again = run(url, tmp_path / "root"), run(url, tmp_path / "root")

    assert {one.workspace: one.status for one in first} == {"anna": "ok", "bert": "ok"}
    assert again == []
    assert (tmp_path / "root/anna/engram.toml").exists()
    write(opened(tmp_path / "root/anna"), "Anna lives in Riga")
    make_due(url)
    assert [one.status for one in run(url, tmp_path / "root")] == ["ok", "ok"]
    assert texts(opened(tmp_path / "root/anna")) == ["Anna lives in Riga"]
    assert texts(opened(tmp_path / "root/bert")) == []


def test_a_tick_takes_in_what_other_machines_wrote(url: str, tmp_path: Path) -> None:
    add(url, "team")
    run(url, tmp_path / "root")
    write(opened(make_machine(tmp_path / "laptop", url)), "Anna lives in Riga")
    make_due(url)

    run(url, tmp_path / "root")

    assert "Anna lives in Riga" in "".join(
        page.read_text() for page in (tmp_path / "root/team/life").rglob("*") if page.is_file()
    )


def test_a_folder_of_files_joins_with_what_it_holds(url: str, tmp_path: Path) -> None:
    root = make_machine(tmp_path / "anna", "")
    write(opened(root), "Anna lives in Riga")

    (added,) = add_members(url, [str(root)], every_s=60, host=HERE, is_hosted=False, dry_run=False)
    (again,) = add_members(url, [str(root)], every_s=90, host=HERE, is_hosted=False, dry_run=False)

    assert (added.workspace, added.status, again.status) == ("anna", "added", "known")
    assert [one.status for one in run(url, tmp_path / "root")] == ["ok"]
    assert not (tmp_path / "root").exists()
    assert texts(opened(root)) == ["Anna lives in Riga"]


def test_names_that_cannot_be_are_refused_before_anything_is_made(url: str, registry: FleetRegistry) -> None:
    for bad in ("Anna", "a b", "x'; DROP TABLE engram.record; --", "", "a" * 41):
        with pytest.raises(BadValueError):
            add(url, "anna", bad)
    assert registry.list_members() == []
    with pytest.raises(NotFoundError):
        registry.get("anna")


def test_a_workspace_is_in_one_hand_only_and_no_worker_waits_for_another(url: str, registry: FleetRegistry) -> None:
    names = [f"w{number}" for number in range(12)]
    add(url, *names)
    taken: list[str] = []

    def take() -> None:
        own = FleetRegistry(url, 5.0)
        while (lease := own.take(f"worker {threading.get_ident()}", HERE, 60.0)) is not None:
            taken.append(lease.member.workspace)
        own.close()

    workers = [threading.Thread(target=take) for _ in range(6)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()

    assert sorted(taken) == sorted(names)
    assert {one.state for one in registry.list_members()} == {"running"}


def test_the_one_that_has_waited_longest_is_next_and_only_on_its_host(url: str, registry: FleetRegistry) -> None:
    add(url, "anna", "bert")
    add(url, "far", host="elsewhere")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE engram.fleet SET due_at = now() - interval '1 hour' WHERE workspace = 'bert'")

    order = [lease and lease.member.workspace for lease in (registry.take("w", HERE, 60.0) for _ in range(3))]

    assert order == ["bert", "anna", None]


def test_who_comes_back_after_its_lease_writes_nothing(url: str, tmp_path: Path, registry: FleetRegistry) -> None:
    add(url, "anna")
    first = registry.take("dead", HERE, 0.2)
    assert first is not None
    folder = settle_in(registry, first, tmp_path / "root", url)
    time.sleep(0.4)
    second = registry.take("alive", HERE, 60.0)
    assert second is not None
    assert second.fence == first.fence + 1

    stale = opened(folder)
    assert stale.store.shared.replica is not None
    stale.store.shared.replica.shared.fence = first.fence
    with pytest.raises(LeaseLostError):
        write(stale, "Anna lives in Riga")
    with pytest.raises(LeaseLostError):
        registry.renew(first, 60.0)
    with pytest.raises(LeaseLostError):
        registry.finish(first, "ok", 1.0)
    assert lines_of(opened(tmp_path / "root/anna")) == []

    live = opened(folder)  # which finds what was asked for in the spool: nothing acknowledged is lost
    assert live.store.shared.replica is not None
    live.store.shared.replica.shared.fence = second.fence
    assert write(live, "Anna plays chess") == "created"
    assert texts(opened(folder)) == ["Anna lives in Riga", "Anna plays chess"]


def test_who_comes_back_after_its_lease_forgets_nothing_either(
    url: str, tmp_path: Path, registry: FleetRegistry
) -> None:
    add(url, "anna")
    first = registry.take("dead", HERE, 0.0)
    assert first is not None
    stale = opened(settle_in(registry, first, tmp_path / "root", url))
    write(stale, "Anna lives in Riga")
    second = registry.take("alive", HERE, 60.0)
    assert second is not None
    assert stale.store.shared.replica is not None
    shared = stale.store.shared.replica.shared
    before = list(shared.read())

    shared.fence = first.fence
    with pytest.raises(LeaseLostError):
        shared.rewrite(a_day_later)
    assert list(shared.read()) == before

    shared.fence = second.fence
    assert shared.rewrite(a_day_later) == len(before) >= 1


def test_a_worker_that_is_killed_leaves_its_workspace_to_the_next(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    make_slow(url, tmp_path, "anna")
    worker = start_worker(url, tmp_path / "root", "--lease", "2")
    wait_for(lambda: has_begun_a_run(tmp_path / "root/anna"))
    ticking = children_of(worker.pid)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    wait_for(lambda: not any(is_running(pid) for pid in ticking))  # the heartbeat ends with its worker

    make_quick(tmp_path, "anna")
    wait_for(lambda: state_of(url, "anna").state == "due")
    (taken_over,) = run(url, tmp_path / "root")
    assert (taken_over.status, taken_over.fence) == ("ok_with_warnings", 3)  # it tells of the run that died
    assert state_of(url, "anna").failures == 0


def test_a_workspace_that_hangs_is_ended_and_keeps_no_other_waiting(url: str, tmp_path: Path) -> None:
    add(url, "anna", "bert")
    run(url, tmp_path / "root")
    make_due(url)
    add(url, "slow")
    make_slow(url, tmp_path, "slow")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE engram.fleet SET due_at = now() - interval '1 hour' WHERE workspace = 'slow'")

    told = run(url, tmp_path / "root", limits=TickLimits(10.0, 4096))

    assert [(one.workspace, one.status) for one in told if one.workspace == "slow"] == [("slow", "timed_out")]
    assert {one.workspace for one in told if one.status == "ok"} >= {"anna", "bert"}
    slow = state_of(url, "slow")
    assert (slow.failures, slow.state) == (1, "waiting")


def test_a_workspace_that_cannot_be_opened_is_told_and_tried_later_and_later(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    run(url, tmp_path / "root")
    (tmp_path / "root/anna/engram.toml").write_text("no toml at all")
    waits = []
    for _ in range(3):
        make_due(url)
        (told,) = run(url, tmp_path / "root")
        assert (told.status, "engram.toml" in told.said) == ("failed", True)
        member = state_of(url, "anna")
        assert member.last_tick_at is not None
        waits.append(round((member.due_at - member.last_tick_at).total_seconds()))
    assert waits == [60, 120, 240]


def test_a_workspace_moves_to_another_folder_while_it_is_written_to(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    run(url, tmp_path / "root")
    former, goal = tmp_path / "root/anna", tmp_path / "other/anna"
    note_line(opened(former), None, "Anna called before the move", "events")
    told, over = [], threading.Event()

    def write_all_the_while() -> None:
        laptop = opened(make_machine(tmp_path / "laptop", url, name="anna"))
        for number in range(1000):
            if over.is_set():
                return
            told.append(f"Anna noted number {number}")
            assert write(laptop, told[-1]) in {"created", "accepted"}

    writer = threading.Thread(target=write_all_the_while)
    writer.start()
    wait_for(lambda: len(told) > 2)
    moved = move_member(url, "anna", HERE, str(goal), here=HERE, host_is_gone=False)
    seen = len(told)
    wait_for(lambda: len(told) > seen + 2)
    over.set()
    writer.join()

    assert (moved.folder, moved.to_host, moved.state) == (str(goal), None, "due")
    assert former.is_file()  # so that nobody makes a folder there
    run(url, tmp_path / "root")
    assert [text for text in texts(opened(goal)) if text.startswith("Anna noted")] == sorted(told)
    assert "Anna called before the move" in notes_of(goal)
    with pytest.raises(OSError, match="Not a directory"):
        opened_paths_spool(former)


def test_a_workspace_moves_to_another_host_with_its_notes_and_what_waited(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    run(url, tmp_path / "first")
    there = opened(tmp_path / "first/anna")
    write(there, "Anna lives in Riga")
    note_line(there, None, "Anna called", "events")
    there.submit("write", {"entity": "people/anna", "text": "Anna plays chess"}, wait_s=0)  # waits in the spool

    asked = move_member(url, "anna", "second", None, here="a third", host_is_gone=False)
    assert (asked.state, asked.host) == ("moving", HERE)
    assert run(url, tmp_path / "second", host="second") == []  # not before it was handed over
    assert [one.status for one in run(url, tmp_path / "first")] == ["moved"]
    assert [one.status for one in run(url, tmp_path / "second", host="second")] == ["ok"]

    here = opened(tmp_path / "second/anna")
    assert texts(here) == ["Anna lives in Riga", "Anna plays chess"]
    assert "Anna called" in notes_of(here.paths.root)
    assert (tmp_path / "first/anna.moved/engram.toml").exists()

    move_member(url, "anna", HERE, None, here="second", host_is_gone=False)  # and back to where it was
    run(url, tmp_path / "first")
    assert texts(opened(tmp_path / "first/anna")) == ["Anna lives in Riga", "Anna plays chess"]


def test_a_move_that_is_cut_short_is_gone_on_with(
    url: str, tmp_path: Path, registry: FleetRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(url, "anna")
    run(url, tmp_path / "root")
    note_line(opened(tmp_path / "root/anna"), None, "Anna called", "events")
    registry.begin_move("anna", "second", None)
    lease = registry.take("w", HERE, 0.3)
    assert lease is not None

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FleetRegistry, "end_move", die)
        with pytest.raises(KeyboardInterrupt):
            hand_over(registry, lease, HERE)
    time.sleep(0.5)

    assert [one.status for one in run(url, tmp_path / "root")] == ["moved"]
    assert [one.status for one in run(url, tmp_path / "second", host="second")] == ["ok"]
    assert "Anna called" in notes_of(tmp_path / "second/anna")


def test_from_a_host_that_is_gone_the_journal_comes(url: str, tmp_path: Path, registry: FleetRegistry) -> None:
    add(url, "anna")
    run(url, tmp_path / "gone")
    write(opened(tmp_path / "gone/anna"), "Anna lives in Riga")
    held = registry.get("anna").fence

    member = move_member(url, "anna", "second", None, here="second", host_is_gone=True)

    assert member.fence == held + 1
    run(url, tmp_path / "second", host="second")
    assert texts(opened(tmp_path / "second/anna")) == ["Anna lives in Riga"]


def test_a_folder_that_is_in_use_is_no_goal(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    run(url, tmp_path / "root")
    for bad in (tmp_path / "root", tmp_path / "root/anna/below"):
        with pytest.raises(RefusedError):
            move_member(url, "anna", HERE, str(bad), here=HERE, host_is_gone=False)
    assert state_of(url, "anna").state == "waiting"


def test_what_cannot_move_is_refused_in_a_dry_run_and_what_can_stays(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    run(url, tmp_path / "root")
    before = state_of(url, "anna")

    def plan(name: str, folder: Path) -> Member:
        return move_member(url, name, HERE, str(folder), here=HERE, host_is_gone=False, dry_run=True)

    with pytest.raises(NotFoundError):
        plan("carl", tmp_path / "free")
    with pytest.raises(RefusedError):
        plan("anna", tmp_path / "root")
    assert (
        plan("anna", tmp_path / "free") == state_of(url, "anna") == before._replace(lag_s=state_of(url, "anna").lag_s)
    )


def test_while_a_tick_goes_on_its_lease_is_kept_up(url: str, tmp_path: Path, registry: FleetRegistry) -> None:
    add(url, "anna")
    make_slow(url, tmp_path, "anna")
    lease = registry.take("w", HERE, 1.0)
    assert lease is not None
    ended = time.monotonic() + 3

    def check() -> None:
        registry.renew(lease, 1.0)
        assert registry.take("other", HERE, 60.0) is None

    told = run_tick(tmp_path / "root/anna", lease.fence, 0, TickLimits(3.0, 4096), check)
    assert told.status == "timed_out"
    assert time.monotonic() >= ended


def test_a_folder_whose_settings_name_another_workspace_is_not_run_for_it(url: str, tmp_path: Path) -> None:
    add(url, "anna", "bert")
    run(url, tmp_path / "root")
    settings = [tmp_path / "root" / name / "engram.toml" for name in ("anna", "bert")]
    write(opened(tmp_path / "root/bert"), "Bert lives in Riga")
    settings[0].write_text(settings[1].read_text())
    make_due(url)

    ticks = {one.workspace: one for one in run(url, tmp_path / "root")}

    assert (ticks["anna"].status, ticks["bert"].status) == ("failed", "ok")
    assert "journal.workspace of" in ticks["anna"].said
    assert "Riga" not in "".join(one.read_text() for one in (tmp_path / "root/anna/life").rglob("*") if one.is_file())


def test_a_row_that_a_member_holds_ends_no_worker(url: str, tmp_path: Path) -> None:
    add(url, "anna")
    registry = FleetRegistry(url, 0.1)
    lease = registry.take("worker", HERE, 30.0)
    assert lease is not None
    options = WorkerOptions(url, HERE, tmp_path, 0.0, LIMITS, is_once=True)

    with psycopg.connect(url) as holder:
        holder.execute("SELECT 1 FROM engram.fleet FOR UPDATE")
        ticked = worker._finish(registry, lease, Ticked("ok"), 1.0)
        with pytest.raises(LeaseLostError, match="ran out while somebody holds the register"):
            worker._renewing(registry, lease, options)()

    assert ticked.said == "somebody holds the register of the fleet"
    registry.close()


def test_the_command_line_adds_lists_ticks_and_moves(url: str, tmp_path: Path) -> None:
    added = engram(tmp_path, "fleet", "add", "anna", "bert", "--every", "2m", "--json", url=url)
    assert [one["status"] for one in json.loads(added.stdout)["members"]] == ["added", "added"]
    root = ["--root", str(tmp_path / "root"), "--host", HERE]
    ticked = engram(tmp_path, "fleet", "tick", "--workers", "2", "--once", "--json", *root, url=url)
    assert {json.loads(line)["status"] for line in ticked.stdout.splitlines()} == {"ok"}
    listed = json.loads(engram(tmp_path, "fleet", "list", "--json", url=url).stdout)["workspaces"]
    assert [(one["workspace"], one["state"], one["last_status"]) for one in listed] == [
        ("anna", "waiting", "ok"),
        ("bert", "waiting", "ok"),
    ]
    move = ("fleet", "move", "anna", str(tmp_path / "x/anna"), "--host", HERE)
    assert engram(tmp_path, *move, "--dry-run", url=url).stdout.strip() == f"would move anna to {tmp_path / 'x/anna'}"
    assert not (tmp_path / "x").exists()
    moved = engram(tmp_path, *move, url=url)
    assert moved.stdout.strip() == f"anna is at {tmp_path / 'x/anna'} now"
    assert engram(tmp_path, "fleet", "move", "carl", "second", url=url).returncode == 3
    assert engram(tmp_path, "fleet", "add", "Anna", url=url).returncode == 2
    assert engram(tmp_path, "fleet", "list").returncode == 2


# --- helpers ---------------------------------------------------------------------------------------------------------


def a_day_later(record: Record) -> Record:
    return record.model_copy(update={"at": record.at + dt.timedelta(days=1)})


def engram(folder: Path, *words: str, url: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "engram", *words]
    return subprocess.run(
        command, cwd=folder, env=environment(url), capture_output=True, text=True, check=False, timeout=300
    )


def environment(url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(sys.path), "ENGRAM_FLEET_URL": url, PROVIDER_VARIABLE: "none"}


def start_worker(url: str, root: Path, *more: str) -> "subprocess.Popen[bytes]":
    words = ["fleet", "tick", "--root", str(root), "--host", HERE, *more]
    return subprocess.Popen([sys.executable, "-m", "engram", *words], env=environment(url))


def make_slow(url: str, tmp_path: Path, name: str) -> None:
    """Let a workspace have a heartbeat that takes minutes: its extraction is a program that sleeps."""
    registry = FleetRegistry(url, 5.0)
    lease = registry.take("maker", HERE, 60.0, name=name)
    assert lease is not None
    folder = settle_in(registry, lease, tmp_path / "root", url)
    registry.finish(lease, "ok", 0.0, again_s=0.0)
    registry.close()
    with (folder / "engram.toml").open("a") as settings:
        settings.write(f'\n[heartbeat]\nagent_command = ["{sys.executable}", "-c", "import time; time.sleep(300)"]\n')
    note_line(opened(folder), None, "Anna prefers green tea in the morning and lives in Riga", "events")


def make_quick(tmp_path: Path, name: str) -> None:
    settings = tmp_path / "root" / name / "engram.toml"
    settings.write_text(settings.read_text().split("[heartbeat]")[0])


def state_of(url: str, name: str) -> Member:
    registry = FleetRegistry(url, 5.0)
    try:
        return registry.get(name)
    finally:
        registry.close()


def has_begun_a_run(root: Path) -> bool:
    return any((root / ".engram/runs").glob("*.json"))


def notes_of(root: Path) -> str:
    return "".join(note.read_text() for note in sorted((root / "memory").rglob("*.md")))


def opened_paths_spool(root: Path) -> None:
    (root / ".engram" / "spool").mkdir(parents=True)


def children_of(pid: int) -> list[int]:
    import psutil

    return [one.pid for one in psutil.Process(pid).children(recursive=True)]


def is_running(pid: int) -> bool:
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)
