"""The spool on real files and with real waiting processes."""

import json
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from engram.store.spool import Spool


def envelope(command_id: str, *, wants_result: bool = False) -> dict[str, object]:
    return {"v": 1, "id": command_id, "kind": "write", "args": {}, "wants_result": wants_result}


def test_commands_wait_in_the_order_they_came(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")

    for name in ("b", "a", "c"):
        spool.put(envelope(name))

    assert [json.loads(path.read_bytes())["id"] for path in spool.waiting()] == ["b", "a", "c"]


def test_a_half_written_file_is_not_a_command(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put(envelope("a"))
    (tmp_path / ".tmp-xyz").write_text("{")

    assert len(spool.waiting()) == 1


def test_a_result_is_taken_once(tmp_path: Path) -> None:
    spool = Spool(tmp_path)

    spool.leave_result("a", "{}")

    assert spool.take_result("a") == "{}"
    assert spool.take_result("a") is None


def test_a_command_is_found_by_the_whole_of_its_id(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    kept = spool.put(envelope("a-b"))

    assert (spool.find("a-b"), spool.find("b")) == (kept, None)


def test_what_is_no_command_is_set_aside_with_the_reason_and_never_deleted(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    bad = tmp_path / "00000000000000000001-0-bad.json"
    bad.write_text("no json")

    kept = spool.reject(bad, "not JSON")

    assert kept.read_text() == "no json"
    assert kept.with_suffix(".reason.txt").read_text() == "not JSON"
    assert [kept] == spool.rejected()
    assert spool.waiting() == []


def test_the_oldest_waiting_command_goes_itself(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    mine = spool.put(envelope("mine", wants_result=True)).name

    assert spool.await_result(mine, time.monotonic() + 30) is None


def test_the_only_waiting_command_goes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path)
    spool.put(envelope("nobody-waits"))
    mine = spool.put(envelope("mine", wants_result=True)).name
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"it slept for {seconds} s"))

    assert spool.await_result(mine, time.monotonic() + 30) is None


def test_a_command_that_another_process_has_taken_is_looked_for_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path)
    kept = spool.put(envelope("mine", wants_result=True))
    mine = kept.name
    spool.remove(kept)
    monkeypatch.setattr(time, "sleep", lambda seconds: spool.leave_result(mine, '{"done": true}'))

    assert spool.await_result(mine, time.monotonic() + 30) == '{"done": true}'


def test_a_younger_command_waits_for_the_process_of_an_older_one(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put(envelope("older", wants_result=True))  # of this living process
    mine = spool.put(envelope("mine", wants_result=True)).name
    helper = multiprocessing.get_context("fork").Process(target=_leave_later, args=(tmp_path, mine))
    helper.start()

    found = spool.await_result(mine, time.monotonic() + 30)

    helper.join()
    assert found == '{"done": true}'


def test_who_waits_long_looks_less_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path)
    spool.put(envelope("older", wants_result=True))  # of this living process
    spool.put(envelope("mine", wants_result=True))
    clock, slept = [100.0], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))
        clock[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", sleep)

    assert spool.await_result("mine", 105.0) is None
    assert (slept[0], slept[10], slept[-1]) == (0.02, 0.02, 0.1)
    assert slept == sorted(slept)
    assert len(slept) < 100


def test_a_command_of_a_dead_process_is_not_waited_for(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    child = multiprocessing.get_context("fork").Process(target=_put_and_die, args=(tmp_path,))
    child.start()
    child.join()
    mine = spool.put(envelope("mine", wants_result=True)).name

    assert spool.await_result(mine, time.monotonic() + 30) is None


def test_a_foreign_file_in_the_spool_keeps_nobody_waiting(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    (tmp_path / "junk.json").write_text("{}")
    (tmp_path / "0-x-y.json").write_text("{}")
    mine = spool.put(envelope("mine", wants_result=True)).name

    assert spool.await_result(mine, time.monotonic() + 30) is None


def test_results_that_nobody_fetched_are_cleared(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.leave_result("old", "{}")
    os.utime(tmp_path / "results" / "old", (1, 1))
    spool.leave_result("new", "{}")

    assert spool.clear_results(older_than_s=3600) == 1
    assert spool.take_result("new") == "{}"


def _leave_later(folder: Path, name: str) -> None:
    time.sleep(0.2)
    Spool(folder).leave_result(name, '{"done": true}')


def _serve_and_die(folder: Path) -> None:
    Spool(folder).serve()


def _put_and_die(folder: Path) -> None:
    Spool(folder).put(envelope("theirs", wants_result=True))


def test_sound_04_names_never_go_back_when_the_clock_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path / "spool")
    first = spool.put({"id": "a", "args": {}})
    before = time.time_ns() - 3600 * 10**9
    monkeypatch.setattr("engram.store.spool.time.time_ns", lambda: before)

    others = [spool.put({"id": name, "args": {}}) for name in "bc"]

    assert spool.waiting() == [first, *others]


def test_the_oldest_waits_while_another_process_takes_in_what_waits(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    mine = spool.put(envelope("mine", wants_result=True)).name
    Spool(tmp_path).serve()
    helper = multiprocessing.get_context("fork").Process(target=_leave_later, args=(tmp_path, mine))
    helper.start()

    found = spool.await_result(mine, time.monotonic() + 30)

    helper.join()
    assert found == '{"done": true}'


def test_it_waits_for_none_that_ended_died_or_was_stopped(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    mine = spool.put(envelope("mine", wants_result=True)).name
    dead = multiprocessing.get_context("fork").Process(target=_serve_and_die, args=(tmp_path,))
    dead.start()
    dead.join()
    assert spool.await_result(mine, time.monotonic() + 30) is None

    spool.serve()
    (mark,) = (tmp_path / "results").glob(f"serving-{os.getpid()}")
    os.utime(mark, (time.time() - 60, time.time() - 60))  # as of a process that was stopped a minute ago
    assert spool.await_result(mine, time.monotonic() + 30) is None

    spool.serve()
    spool.end_serving()
    assert spool.await_result(mine, time.monotonic() + 30) is None
    assert spool.clear_results(older_than_s=-60) == 1


def test_it_is_known_whether_a_living_process_waits_for_a_command(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    child = multiprocessing.get_context("fork").Process(target=_put_and_die, args=(tmp_path,))
    child.start()
    child.join()
    spool.put(envelope("nobody's"))
    assert not spool.is_awaited()

    spool.put(envelope("mine", wants_result=True))
    assert spool.is_awaited()


def test_a_result_that_is_fetched_meanwhile_is_none_that_nobody_fetched(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.leave_result("old", "{}")
    (tmp_path / "results" / "gone.json").symlink_to(tmp_path / "nowhere")  # listed, and not there when it is looked at

    assert spool.clear_results(older_than_s=-60) == 1
    assert spool.take_result("old") is None
