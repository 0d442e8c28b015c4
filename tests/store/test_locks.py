"""The lock between real processes."""

import errno
import multiprocessing
import os
import signal
import time
from contextlib import AbstractContextManager
from multiprocessing.synchronize import Event
from pathlib import Path

import portalocker
import pytest

from engram.errors import NoLocksError
from engram.errors import StoreBusyError
from engram.store.lease import Lease
from engram.store.locks import FileLock
from engram.store.locks import QueuedLock

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


def test_a_file_system_without_locks_is_an_error_and_not_a_holder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise portalocker.LockException("no locks") from OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("engram.store.locks.portalocker.lock", refuse)

    for lock in (FileLock(path, "x"), QueuedLock(path, "x"), Lease(path.with_name("lease"), "x", 5)):
        with pytest.raises(NoLocksError, match="No locks available"), hold(lock):
            pass


def hold(lock: FileLock | QueuedLock | Lease) -> AbstractContextManager[object]:
    return lock.hold() if isinstance(lock, Lease) else lock.hold(wait_s=5)


def test_readers_wait_their_turn_behind_a_writer_and_share_it(path: Path) -> None:
    with QueuedLock(path, "writer").hold(wait_s=0):
        assert not is_free(path, shared=True)
    with QueuedLock(path, "a").hold(wait_s=0, shared=True), QueuedLock(path, "b").hold(wait_s=0, shared=True):
        assert not is_free(path, shared=False)


def is_free(path: Path, *, shared: bool) -> bool:
    try:
        with QueuedLock(path, "looks").hold(wait_s=0, shared=shared):
            return True
    except StoreBusyError:
        return False


def test_a_folder_that_cannot_be_written_to_is_locked_for_reading(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def read_only(place: object, flags: int, mode: int = 0o777, **more: object) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, "Read-only file system", str(place))
        return opened(place, flags, mode, **more)  # type: ignore[arg-type]

    with QueuedLock(path, "writer").hold(wait_s=0):
        pass
    monkeypatch.setattr(os, "open", read_only)

    with QueuedLock(path, "a").hold(wait_s=0, shared=True), QueuedLock(path, "b").hold(wait_s=0, shared=True):
        assert not is_free(path, shared=False)
    with QueuedLock(path.with_name("never-made.lock"), "a").hold(wait_s=0, shared=True):
        pass


def test_who_waits_and_was_stopped_keeps_nobody_waiting(path: Path) -> None:
    with QueuedLock(path, "holder").hold(wait_s=0):
        waiting = FORK.Process(target=_wait_for, args=(path,))
        waiting.start()
        deadline = time.monotonic() + 10
        while not QueuedLock(path, "look").is_wanted() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(waiting.pid or 0, signal.SIGSTOP)
    try:
        with QueuedLock(path, "next").hold(wait_s=20):
            pass
    finally:
        os.kill(waiting.pid or 0, signal.SIGKILL)
        waiting.join()


def _wait_for(path: Path) -> None:
    with QueuedLock(path, "waiting").hold(wait_s=60):
        time.sleep(60)
