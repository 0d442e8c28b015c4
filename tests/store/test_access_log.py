"""The access log: lines of many processes, full files, a full disk, a file of somebody else."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from engram.store.access_log import KEPT_FILES
from engram.store.access_log import AccessLog


@pytest.fixture
def log(tmp_path: Path) -> AccessLog:
    return AccessLog(tmp_path / "state" / "accesses", file_bytes=200)


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "state" / "accesses").iterdir())


def numbers(rows: list[dict[str, int]]) -> list[int]:
    return [row["n"] for row in rows]


def fill(folder: Path, first: int, count: int) -> None:
    log = AccessLog(folder, file_bytes=2000)
    for n in range(first, first + count):
        log.append([{"n": n, "words": "x" * (n % 90)}])


def test_what_was_appended_is_read_in_order(log: AccessLog) -> None:
    log.append([{"n": 1}, {"n": 2}])
    log.append([{"n": 3, "words": "строка\nв две"}])

    assert [row["n"] for row in log.rows()] == [1, 2, 3]
    assert log.rows()[2]["words"] == "строка\nв две"


def test_what_was_read_is_not_read_again(log: AccessLog) -> None:
    log.append([{"n": n} for n in range(40)])
    _, marks = log.read_after({})
    assert log.read_after(marks) == ([], marks)

    log.append([{"n": 40}])
    rows, after = log.read_after(marks)

    assert numbers(rows) == [40]
    assert log.read_after(after) == ([], after)


def test_only_the_owner_may_read_it(log: AccessLog, tmp_path: Path) -> None:
    log.append([{"n": 1}])
    (file,) = files(tmp_path)

    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_full_file_is_followed_by_another_and_late_lines_of_the_first_are_read(
    log: AccessLog, tmp_path: Path
) -> None:
    for n in range(60):
        log.append([{"n": n}])
    rows, marks = log.read_after({})
    full = files(tmp_path)[0]
    with full.open("ab") as late:
        late.write(b'{"n": 99}\n')

    assert len(files(tmp_path)) > 2
    assert numbers(rows) == list(range(60))
    assert numbers(log.read_after(marks)[0]) == [99]


def test_a_line_that_is_being_written_waits(log: AccessLog, tmp_path: Path) -> None:
    log.append([{"n": 1}])
    with files(tmp_path)[0].open("ab") as other:
        other.write(b'{"n": ')
    rows, marks = log.read_after({})
    assert numbers(rows) == [1]
    with files(tmp_path)[0].open("ab") as other:
        other.write(b"2}\n")

    assert numbers(log.read_after(marks)[0]) == [2]


def test_a_line_that_was_cut_short_costs_only_itself(log: AccessLog, tmp_path: Path) -> None:
    log.append([{"n": 1}])
    with files(tmp_path)[0].open("ab") as other:
        other.write(b'{"n": 2, "wor')
    log.append([{"n": 3}])

    assert numbers(log.rows()) == [1, 3]


def test_what_is_no_row_is_passed_over(log: AccessLog, tmp_path: Path) -> None:
    log.append([{"n": 1}])
    with files(tmp_path)[0].open("ab") as other:
        other.write(b'\n[]\nnull\n"x"\n{\n\xff\xfe\n{"n": 2}\n')

    assert numbers(log.rows()) == [1, 2]


def test_a_short_write_is_an_error_and_the_next_line_stands_alone(
    log: AccessLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append([{"n": 1}])
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, data: write(handle, data[:4]))
        with pytest.raises(OSError, match="No space left"):
            log.append([{"n": 2}])
    log.append([{"n": 3}])

    assert numbers(log.rows()) == [1, 3]


def test_the_oldest_files_go_when_they_were_read_to_their_end(log: AccessLog, tmp_path: Path) -> None:
    for n in range(25 * (KEPT_FILES + 2)):
        log.append([{"n": n}])
    before = files(tmp_path)
    assert len(before) > KEPT_FILES + 1
    _, marks = log.read_after({})
    unread = {**marks, before[0].name: marks[before[0].name] - 1}

    assert log.prune({}) == 0
    removed = log.prune(unread)

    assert removed == len(before) - KEPT_FILES - 1
    assert files(tmp_path) == [before[0], *before[-KEPT_FILES:]]


def test_a_log_that_was_never_written_holds_nothing(log: AccessLog) -> None:
    assert (log.rows(), log.read_after({"gone.jsonl": 7}), log.prune({})) == ([], ([], {}), 0)


def test_lines_of_processes_that_write_at_the_same_time_are_all_whole(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=fill, args=(tmp_path, first, 150)) for first in (0, 1000, 2000)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    lines = [line for file in sorted(tmp_path.iterdir()) for line in file.read_bytes().splitlines() if line]

    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert sorted(numbers(AccessLog(tmp_path).rows())) == sorted(
        n + first for first in (0, 1000, 2000) for n in range(150)
    )
