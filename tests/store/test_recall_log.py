"""The log of what was recalled for prompts: rows of ids and counts in two files at most, and what replies used."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from engram.store import recall_log
from engram.store.recall_log import RecallLog
from engram.store.recall_log import Uses
from engram.store.recall_log import uses_by_id


def reply(*, shown: list[str], used: list[str]) -> dict[str, Any]:
    return {"v": 1, "kind": "reply", "shown": shown, "used": used}


def test_rows_come_back_in_order_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "hooks" / "recalls.jsonl"
    log = RecallLog(file)
    for number in range(3):
        log.append({"number": number})

    assert [row["number"] for row in log.rows()] == [0, 1, 2]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_full_file_is_put_aside_and_there_are_never_more_than_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_log, "FILE_BYTES", 40)
    log = RecallLog(tmp_path / "recalls.jsonl")
    for number in range(20):
        log.append({"number": number})

    numbers = [row["number"] for row in log.rows()]
    assert numbers == list(range(numbers[0], 20))
    assert len(numbers) <= 8
    assert len(list(tmp_path.iterdir())) <= 2


def test_what_is_no_row_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "recalls.jsonl"
    file.write_text('not JSON\n[1]\n{"number": 1}\n{"number":')

    assert list(RecallLog(file).rows()) == [{"number": 1}]


def test_what_replies_made_of_a_memory_is_counted_once_a_reply() -> None:
    rows: list[dict[str, Any]] = [
        reply(shown=["a-001", "b-001", "a-001"], used=["a-001"]),
        reply(shown=["a-001"], used=[]),
        {"kind": "prompt", "shown": ["c-001"]},
    ]

    assert uses_by_id(rows) == {"a-001": Uses(2, 1), "b-001": Uses(1, 0)}


@pytest.mark.parametrize(
    "row", [{"kind": "reply"}, {"kind": "reply", "shown": "a-001"}, {"kind": "reply", "shown": [1]}]
)
def test_a_row_of_another_form_counts_for_nothing(row: dict[str, object]) -> None:
    assert uses_by_id([row]) == {}


@pytest.mark.parametrize(("shown", "used", "unused"), [(4, 0, False), (5, 0, True), (50, 1, False)])
def test_a_memory_counts_as_unused_after_five_replies_that_did_without(shown: int, used: int, unused: bool) -> None:
    assert Uses(shown, used).is_unused() is unused


def test_rows_are_lines_of_json(tmp_path: Path) -> None:
    log = RecallLog(tmp_path / "recalls.jsonl")
    log.append({"id": "люди/анна"})

    assert json.loads((tmp_path / "recalls.jsonl").read_text("utf-8")) == {"id": "люди/анна"}
