"""What runs beside the phases gives what they would have found without it, and is gone when the run is over."""

import contextlib
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engram.errors import EngramError
from engram.heartbeat.child.words import WordsProcess
from engram.heartbeat.child.work_ahead import Beside
from engram.heartbeat.child.work_ahead import Check
from engram.heartbeat.extraction import phase as extraction_phase
from engram.heartbeat.run.runner import run_heartbeat
from engram.heartbeat.synthesis import phase as synthesis_phase
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.ports.index import SearchFilter
from engram.store.index.payload import content_of
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.sparse import copy_folder

QUESTION: dict[str, Any] = {"rollups": [], "patterns": []}
ANSWER = Handoff(status=HandoffStatus.OK, summary="done")
PATIENCE_S = 60.0  # of a test for another process; nearly all of it is never needed


@pytest.fixture
def beside(workspace: Workspace) -> Workspace:
    """A workspace with notes of two weeks that are over."""
    for day in ("2026-02-02", "2026-02-03", "2026-02-10"):
        put_note(workspace, f"{day}.md", f"## Decisions\n\n- We moved billing to Redis on {day}\n- Anna likes tea\n")
    return workspace


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*.md")
        if "heartbeat" not in path.parts
    }


def documents(workspace: Workspace) -> list[str]:
    with workspace.index.searching() as index:
        ids = [each for ids in index.ids_by_path(("note", "fact", "candidate")).values() for each in ids]
        found = index.retrieve(ids)
        return sorted(json.dumps(content_of(one.model_dump(mode="json")), sort_keys=True) for one in found)


def copy_of(workspace: Workspace, root: Path) -> Workspace:
    copy_folder(workspace.paths.root, root)
    return open_workspace(str(root), now=workspace.now)


def test_a_run_with_work_beside_it_leaves_what_one_without_leaves(
    beside: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_in_process(monkeypatch)
    alone = copy_of(beside, tmp_path / "alone" / beside.paths.root.name)
    run_heartbeat(alone)
    monkeypatch.setattr(extraction_phase, "LONG_PAST", 1)
    stopped: list[int | None] = []
    stop = WordsProcess.stop
    monkeypatch.setattr(WordsProcess, "stop", lambda process: stopped.append(stop(process)))

    result = run_heartbeat(beside)

    assert result.status == "ok"
    assert stopped == [0]
    assert files(beside.paths.root) == files(alone.paths.root)
    assert "weekly/2026-W06.md" in " ".join(files(beside.paths.root))
    assert documents(beside) == documents(alone)


def test_of_a_long_past_a_run_rolls_up_the_newest_weeks_and_the_next_run_the_others(
    beside: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_in_process(monkeypatch)
    put_note(beside, "2026-01-14.md", "## Decisions\n\n- We moved search to DuckDB on Monday\n- Boris likes coffee\n")
    alone = copy_of(beside, tmp_path / "alone" / beside.paths.root.name)
    run_heartbeat(alone)
    monkeypatch.setattr(extraction_phase, "LONG_PAST", 1)
    monkeypatch.setattr(synthesis_phase, "FIRST_WEEKS", 1)

    first = run_heartbeat(beside)
    then = rolled_up(beside.paths.root)
    second = run_heartbeat(beside)
    at_last = rolled_up(beside.paths.root)
    third = run_heartbeat(beside)

    (synthesis,) = [one for one in first.phases if one.phase == "synthesis"]
    assert synthesis.stats["weeks_left"] == 2
    assert synthesis.summary.endswith("2 older weeks wait for the next run")
    assert then == {"weekly/2026-W07.md"}  # no month of weeks that are not all there
    assert at_last == rolled_up(alone.paths.root) > then
    assert not any("weeks_left" in one.stats for one in second.phases)
    assert {one.status for one in third.phases} == {"skipped"}
    assert not (beside.paths.memory / "archives" / "rollups").exists()


def rolled_up(root: Path) -> set[str]:
    found = {path.relative_to(path.parent.parent).as_posix() for path in (root / "memory").rglob("*.md")}
    return {name for name in found if name.startswith(("weekly/", "monthly/"))}


def test_words_are_taken_in_by_a_process_of_their_own_that_ends_when_it_is_told_to(beside: Workspace) -> None:
    with beside.writing("test"):
        pass  # there is a database
    process = WordsProcess(beside)

    def holds_notes() -> bool:
        with contextlib.suppress(EngramError), beside.index.searching() as index:
            return len(index.search("Redis", SearchFilter(), limit=9)["lexical"]) == 3
        return False

    deadline = time.monotonic() + PATIENCE_S
    while not holds_notes() and time.monotonic() < deadline:
        time.sleep(0.1)
    code = process.stop()

    assert code == 0
    assert holds_notes()


def test_taking_in_words_ends_when_it_is_over_and_goes_on_where_it_was(beside: Workspace) -> None:
    beside.index.take_in_words(lambda: True)
    assert not beside.index.place.is_there()

    beside.index.take_in_words(lambda: False)

    with beside.index.searching() as index:
        assert len(index.search("Redis", SearchFilter(), limit=9)["lexical"]) == 3


def test_what_can_be_done_ahead_is_begun_once() -> None:
    begun: list[Beside] = []
    beside = Beside([begun.append])

    beside.begin()
    beside.begin()
    beside.end()

    assert begun == [beside]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [(QUESTION, ANSWER), ({**QUESTION, "patterns": ["x"]}, None), ({}, None)],
    ids=["this very question", "another one", "none"],
)
def test_only_the_question_that_was_asked_ahead_has_an_answer(asked: dict[str, Any], answer: Handoff | None) -> None:
    beside = Beside()
    beside.ask(asked, lambda _check: ANSWER)

    assert answer == beside.answer_to(QUESTION)
    beside.end()


def test_an_answer_that_could_not_be_had_is_none() -> None:
    def fail(_check: Check) -> Handoff:
        raise EngramError("the child was stopped")

    beside = Beside()
    beside.ask(QUESTION, fail)

    assert beside.answer_to(QUESTION) is None
    beside.end()


def test_an_answer_that_nobody_fetches_is_stopped_with_the_run() -> None:
    began, stopped = threading.Event(), threading.Event()

    def work(check: Check) -> Handoff:
        began.set()
        try:
            while True:
                check()
                time.sleep(0.01)
        finally:
            stopped.set()

    beside = Beside()
    beside.ask(QUESTION, work)
    assert began.wait(PATIENCE_S)
    beside.end()

    assert stopped.is_set()
