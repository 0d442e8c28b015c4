"""The queued lock and the warm index between real processes: order, politeness, kills."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.errors import UnknownEntityError
from engram.ports.index import SearchFilter
from engram.store.index.edge_files import index_position
from engram.store.index.edge_files import is_stale
from engram.store.index.edge_files import mark_stale
from engram.store.index.edge_index import EdgeVectorIndex
from engram.store.index.warm_index import WarmIndex
from engram.store.locks import QueuedLock
from tests.store.test_vector_index import ALL

APART = multiprocessing.get_context("forkserver")  # of a process without the engine's threads, which no fork survives
APART.set_forkserver_preload([__name__])
LONG_S = 120.0  # longer than anything here takes, on a busy machine too


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.lock"


def hold(path: Path, held: Event, release: Event) -> None:
    with QueuedLock(path, "holder").hold(wait_s=LONG_S):
        held.set()
        release.wait(LONG_S)


def queue_up(path: Path, name: int, order: "SimpleQueue[int]", wait_s: float) -> None:
    with QueuedLock(path, f"waiter {name}").hold(wait_s=wait_s):
        order.put(name)  # at once: a Queue would leave it to a thread, after the lock is given on


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def tickets(path: Path) -> int:
    return len(list(path.with_suffix(".queue").glob("*.ticket")))


def test_a_warm_index_that_has_to_go_is_opened_anew_for_the_next_use(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    warm = WarmIndex(
        QueuedLock(tmp_path / "index.lock", "warm"),
        lambda: EdgeVectorIndex(folder, None),
        is_stale=lambda: is_stale(folder),
    )
    with warm.use(wait_s=1) as index:
        index.advance(7, "head")
        mark_stale(folder)
        assert index.position() == 7  # who uses it goes on with it
        assert index_position(folder) is None

    with warm.use(wait_s=1) as index:
        assert index.position() == 0
        assert not is_stale(folder)
    warm.close()


class Holder:
    """A process that holds the lock until it is told to let go, or is killed."""

    def __init__(self, path: Path) -> None:
        held, self.release = APART.Event(), APART.Event()
        self.process = APART.Process(target=hold, args=(path, held, self.release))
        self.process.start()
        assert held.wait(LONG_S)

    def kill(self) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()

    def let_go(self) -> None:
        self.release.set()
        self.process.join()


def wait_in_line(path: Path, name: int, order: "SimpleQueue[int]") -> multiprocessing.context.ForkServerProcess:
    before = tickets(path)
    process = APART.Process(target=queue_up, args=(path, name, order, LONG_S))
    process.start()
    until(lambda: tickets(path) == before + 1)
    return process


# --- the lock --------------------------------------------------------------------------------------------------


def test_those_who_wait_get_the_lock_in_the_order_of_asking(path: Path) -> None:
    holder = Holder(path)
    order: SimpleQueue[int] = APART.SimpleQueue()
    waiters = [wait_in_line(path, name, order) for name in range(4)]

    holder.let_go()

    assert [order.get() for _ in waiters] == [0, 1, 2, 3]
    for waiter in waiters:
        waiter.join()
    assert tickets(path) == 0


def test_a_holder_can_tell_that_somebody_waits(path: Path) -> None:
    order: SimpleQueue[int] = APART.SimpleQueue()
    lock = QueuedLock(path, "me")
    with lock.hold(wait_s=0):
        assert not lock.is_wanted()
        waiter = wait_in_line(path, 1, order)
        assert lock.is_wanted()
    assert order.get() == 1
    waiter.join()
    assert not lock.is_wanted()


@pytest.mark.parametrize("killed", ["holder", "waiter"])
def test_a_killed_process_keeps_nobody_waiting(path: Path, killed: str) -> None:
    holder = Holder(path)
    order: SimpleQueue[int] = APART.SimpleQueue()
    first, second = wait_in_line(path, 1, order), wait_in_line(path, 2, order)
    if killed == "holder":
        holder.kill()
    else:
        assert first.pid is not None
        os.kill(first.pid, signal.SIGKILL)
        first.join()
        holder.let_go()

    assert [order.get() for _ in range(2 if killed == "holder" else 1)][-1] == 2
    first.join()
    second.join()
    assert not QueuedLock(path, "me").is_wanted()
    assert tickets(path) == 0


def test_who_does_not_get_the_lock_in_time_learns_who_holds_it_and_leaves_the_line(path: Path) -> None:
    holder = Holder(path)

    with pytest.raises(StoreBusyError) as busy, QueuedLock(path, "me").hold(wait_s=0.05):
        pass

    assert busy.value.details["pid"] == holder.process.pid
    assert tickets(path) == 0
    holder.let_go()


def test_a_newcomer_does_not_pass_those_who_wait(path: Path) -> None:
    order: SimpleQueue[int] = APART.SimpleQueue()
    lock = QueuedLock(path, "me")
    with lock.hold(wait_s=0):
        waiter = wait_in_line(path, 1, order)
        other = QueuedLock(path, "newcomer")
        with pytest.raises(StoreBusyError), other.hold(wait_s=0.05):
            pass
    waiter.join()
    with other.hold(wait_s=0):
        assert order.get() == 1


def test_threads_of_one_process_keep_each_other_out(path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with QueuedLock(path, "thread").hold(wait_s=LONG_S):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 6


# --- the warm index --------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with EdgeVectorIndex(tmp_path / "index", None) as index:
        index.upsert(ALL)
        index.advance(4)
    return tmp_path / "index"


def warm_index(path: Path, folder: Path, idle_s: float = LONG_S) -> WarmIndex[EdgeVectorIndex]:
    return WarmIndex(QueuedLock(path, "warm"), lambda: EdgeVectorIndex(folder, None), idle_s=idle_s)


def ask(path: Path, folder: Path, found: "Queue[tuple[int, float]]") -> None:
    began = time.monotonic()
    with QueuedLock(path, "asker").hold(wait_s=LONG_S), EdgeVectorIndex(folder, None) as index:
        hits = index.search("tea", SearchFilter(), limit=5)["lexical"]
    found.put((len(hits), time.monotonic() - began))


def keep_warm(path: Path, folder: Path, held: Event) -> None:
    warm = warm_index(path, folder)
    while True:
        with warm.use(wait_s=LONG_S) as index:
            index.search("tea", SearchFilter(), limit=5)
        held.set()


def test_a_warm_index_stays_open_between_calls(path: Path, folder: Path) -> None:
    warm = warm_index(path, folder)
    with warm.use(wait_s=1) as first:
        assert first.count() == 4
    assert warm.is_open()
    with warm.use(wait_s=1) as second:
        assert second is first
    warm.close()
    assert not warm.is_open()


def test_a_warm_index_lets_go_as_soon_as_another_process_asks(path: Path, folder: Path) -> None:
    warm = warm_index(path, folder)
    with warm.use(wait_s=1):
        pass
    found: Queue[tuple[int, float]] = APART.Queue()
    asker = APART.Process(target=ask, args=(path, folder, found))
    asker.start()

    assert found.get(timeout=LONG_S)[0] == 1
    asker.join()
    assert not warm.is_open()
    with warm.use(wait_s=LONG_S) as index:
        assert index.count() == 4
    warm.close()


def test_a_warm_index_closes_when_nobody_uses_it(path: Path, folder: Path) -> None:
    warm = warm_index(path, folder, idle_s=0.05)
    with warm.use(wait_s=1):
        pass

    until(lambda: not warm.is_open())
    EdgeVectorIndex(folder, None).close()


def test_an_error_in_a_call_closes_the_index_and_the_next_call_opens_it(path: Path, folder: Path) -> None:
    warm = warm_index(path, folder)
    with pytest.raises(ValueError, match="bad"), warm.use(wait_s=1):
        raise ValueError("bad")

    assert not warm.is_open()
    with warm.use(wait_s=1) as index:
        assert index.count() == 4
    warm.close()


def test_what_is_refused_to_a_caller_keeps_the_index_open_and_damage_does_not(path: Path, folder: Path) -> None:
    warm = warm_index(path, folder)
    with pytest.raises(UnknownEntityError), warm.use(wait_s=1):
        raise UnknownEntityError
    assert warm.is_open()
    with pytest.raises(DegradedIndexError), warm.use(wait_s=1):
        raise DegradedIndexError
    assert not warm.is_open()


def test_eight_processes_beside_a_busy_warm_one_all_get_answers(path: Path, folder: Path) -> None:
    held = APART.Event()
    warm = APART.Process(target=keep_warm, args=(path, folder, held))
    warm.start()
    assert held.wait(LONG_S)
    found: Queue[tuple[int, float]] = APART.Queue()
    askers = [APART.Process(target=ask, args=(path, folder, found)) for _ in range(8)]
    for asker in askers:
        asker.start()

    answers = [found.get(timeout=LONG_S) for _ in askers]

    assert [count for count, _ in answers] == [1] * 8
    for asker in askers:
        asker.join()
        assert asker.exitcode == 0
    assert warm.pid is not None
    os.kill(warm.pid, signal.SIGKILL)
    warm.join()
    ask(path, folder, found)
    assert found.get(timeout=LONG_S)[0] == 1
