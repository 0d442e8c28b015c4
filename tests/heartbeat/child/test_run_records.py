"""Run records."""

import os
from pathlib import Path

import pytest

from engram.errors import NotFoundError
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.child.run_records import is_running
from tests.making import NOW


def records(folder: Path, *statuses: str) -> RunRecords:
    runs = RunRecords(folder / "runs")
    for number, status in enumerate(statuses):
        runs.save({"run_id": f"r{number}", "status": status, "pid": 1, "alerts": []})
    return runs


def test_the_newest_come_first_and_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    runs = records(tmp_path, "ok", "failed", "ok")
    (tmp_path / "runs" / "r1.json").write_text("{")

    assert [record["run_id"] for record in runs.latest(10)] == ["r2", "r0"]
    assert [record["run_id"] for record in runs.latest(1)] == ["r2"]


def test_a_run_without_an_end_is_marked_failed_once(tmp_path: Path) -> None:
    runs = records(tmp_path, "running", "ok")

    assert runs.mark_dead(NOW) == ["r0"]
    assert runs.mark_dead(NOW) == []
    assert runs.get("r0")["status"] == "failed"


@pytest.mark.parametrize(
    ("record", "running"),
    [
        ({"status": "running", "pid": os.getpid()}, True),
        ({"status": "ok", "pid": os.getpid()}, False),
        ({"status": "running", "pid": 2**22 + 1}, False),
        ({"status": "running", "pid": "x"}, False),
        ({"status": "running"}, False),
        (None, False),
    ],
)
def test_a_run_runs_while_its_process_lives(record: dict[str, object] | None, running: bool) -> None:
    assert is_running(record) is running


def test_only_the_newest_are_kept_with_their_answers(tmp_path: Path) -> None:
    runs = records(tmp_path, "ok", "ok", "ok")
    runs.keep_answer("r0", "extraction", "garbage")
    runs.keep_answer("r2", "extraction", "garbage")

    assert runs.prune(kept=2) == 1
    assert sorted(file.name for file in (tmp_path / "runs").iterdir()) == ["r1.json", "r2-extraction.txt", "r2.json"]


def test_an_unknown_run_is_not_found(tmp_path: Path) -> None:
    runs = records(tmp_path)

    for run_id in ("r9", ""):
        with pytest.raises(NotFoundError):
            runs.get(run_id)
    assert runs.latest(5) == []
