"""The lease between real processes that live, die and stand still."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engram.errors import LeaseLostError
from engram.errors import StoreBusyError
from engram.heartbeat.child.phases import child_environment
from engram.store.lease import Lease

HOLDING = """
import sys, time
from pathlib import Path
from engram.errors import LeaseLostError
from engram.store.lease import Lease
lease = Lease(Path(sys.argv[1]), "holder", float(sys.argv[2]))
with lease.hold() as fence:
    print(fence, flush=True)
    sys.stdin.readline()
    try:
        lease.check()
    except LeaseLostError as lost:
        print(lost.message, flush=True)
    else:
        print("ours", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "locks" / "heartbeat.lock"


class Holder:
    """Another process that holds the lease until it is asked whether it still does."""

    def __init__(self, path: Path, lease_s: float) -> None:
        command = [sys.executable, "-c", HOLDING, str(path), str(lease_s)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment(), text=True
        )
        assert self.process.stdout is not None
        self.fence = int(self.process.stdout.readline())

    def ask(self) -> str:
        said, _ = self.process.communicate("\n", timeout=30)
        return said.strip()


def test_a_live_holder_keeps_others_away_and_is_named(path: Path) -> None:
    holder = Holder(path, 30)
    with pytest.raises(StoreBusyError, match="heartbeat is held by holder") as busy, Lease(path, "me", 30).hold():
        pass

    assert (busy.value.details["pid"], busy.value.details["lock"]) == (holder.process.pid, "heartbeat.lock")
    assert holder.ask() == "ours"


def test_the_lease_of_a_dead_process_is_free_and_the_number_grows(path: Path) -> None:
    holder = Holder(path, 3600)
    holder.process.kill()
    holder.process.communicate()
    lease = Lease(path, "me", 30)

    with lease.hold() as fence:
        assert fence == holder.fence + 1
        assert (lease.holder() or {})["pid"] == os.getpid()
    assert lease.holder() is None
    with lease.hold() as fence:
        assert fence == holder.fence + 2


def test_what_was_noted_before_a_crash_is_forgotten(path: Path) -> None:
    lease = Lease(path, "me", 30)
    with lease.hold():
        lease.note(settled="so it was")
    assert lease.words()["settled"] == "so it was"
    holder = Holder(path, 30)
    holder.process.kill()
    holder.process.communicate()

    with lease.hold():
        assert "settled" not in lease.words()


def test_who_stands_still_beyond_the_lease_is_replaced_and_refused_when_it_wakes(path: Path) -> None:
    holder = Holder(path, 1)
    os.kill(holder.process.pid, signal.SIGSTOP)
    lease = Lease(path, "me", 30)
    deadline = time.monotonic() + 20
    while lease.holder() is not None and time.monotonic() < deadline:
        time.sleep(0.05)

    with lease.hold() as fence:
        os.kill(holder.process.pid, signal.SIGCONT)
        said = holder.ask()
        lease.check()

    assert fence == holder.fence + 1
    assert "another has taken over" in said
    assert lease.words()["fence"] == fence


def test_who_stands_still_for_less_goes_on(path: Path) -> None:
    holder = Holder(path, 60)
    os.kill(holder.process.pid, signal.SIGSTOP)
    with pytest.raises(StoreBusyError), Lease(path, "me", 60).hold():
        pass
    os.kill(holder.process.pid, signal.SIGCONT)

    assert holder.ask() == "ours"


def test_a_holder_that_works_longer_than_its_lease_keeps_it(path: Path) -> None:
    holder = Holder(path, 5)
    lease = Lease(path, "me", 5)
    renewed = {lease.words()["until"]}
    deadline = time.monotonic() + 60
    while len(renewed) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
        renewed.add(lease.words()["until"])
    with pytest.raises(StoreBusyError), lease.hold():
        pass

    assert (len(renewed), lease.words()["fence"]) == (3, holder.fence)
    assert holder.ask() == "ours"


def test_another_process_with_the_pid_of_a_dead_holder_is_not_taken_for_it(path: Path) -> None:
    lease = Lease(path, "me", 3600)
    with lease.hold():
        recycled = {**lease.words(), "born": "some-boot/17"}
    path.write_text(json.dumps({**recycled, "held": True}))

    assert lease.holder() is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\0" * 2048])
def test_a_file_that_does_not_read_is_free(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)

    with Lease(path, "me", 30).hold() as fence:
        assert fence == 1


def test_what_is_noted_stays_when_the_lease_is_free(path: Path) -> None:
    lease = Lease(path, "me", 30)
    with lease.hold():
        lease.note(ticked_at="2026-03-02T10:00:00Z")
    with lease.hold():
        assert lease.words()["ticked_at"] == "2026-03-02T10:00:00Z"
        size = path.stat().st_size
    with pytest.raises(LeaseLostError):
        lease.note(ticked_at="later")

    assert (lease.words()["ticked_at"], path.stat().st_size) == ("2026-03-02T10:00:00Z", size)
