"""The lock between real processes."""

import multiprocessing
import os
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from engram.errors import StoreBusyError
from engram.store.locks import FileLock

FORK = multiprocessing.get_context("fork")


def _hold(path: Path, held: Event, shared: bool) -> None:
    with FileLock(path, "holder").hold(wait_s=5, shared=shared):
        held.set()
        time.sleep(60)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.lock"


def start(path: Path, *, shared: bool = False) -> multiprocessing.context.ForkProcess:
    held = FORK.Event()
    child = FORK.Process(target=_hold, args=(path, held, shared))
    child.start()
    assert held.wait(10)
    return child


def stop(child: multiprocessing.context.ForkProcess) -> None:
    child.kill()
    child.join()


def test_a_second_process_learns_who_holds_it_since_when(path: Path) -> None:
    child = start(path)

    with pytest.raises(StoreBusyError) as busy, FileLock(path, "me").hold(wait_s=0):
        pass

    stop(child)
    assert child.pid == busy.value.details["pid"]
    assert busy.value.details["owner"] == "holder"
    assert busy.value.details["since"] in busy.value.message


def test_the_lock_ends_with_its_process(path: Path) -> None:
    child = start(path)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()

    with FileLock(path, "me").hold(wait_s=5):
        assert os.getpid() == FileLock(path, "x").holder()["pid"]


def test_readers_share_and_keep_writers_out(path: Path) -> None:
    child = start(path, shared=True)

    with FileLock(path, "me").hold(wait_s=0, shared=True):
        pass
    with pytest.raises(StoreBusyError), FileLock(path, "me").hold(wait_s=0):
        pass

    stop(child)


def test_waiting_ends_when_the_holder_lets_go(path: Path) -> None:
    child = start(path)
    FORK.Process(target=_kill_later, args=(child.pid,)).start()

    with FileLock(path, "me").hold(wait_s=20):
        pass

    child.join()


def _kill_later(pid: int) -> None:
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
