"""The heartbeat as a page shows it."""

import datetime as dt
import json
import os
from typing import Any

import pytest

from engram.base.machine.processes import birth_of
from engram.config.sections.memory import DecaySettings
from engram.errors import NotFoundError
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.run.overview import heartbeat_overview
from engram.heartbeat.run.overview import read_marks
from engram.heartbeat.run.overview import run_page
from engram.heartbeat.run.runner import run_heartbeat
from engram.services.facts.listing import Moment
from engram.workspace import Workspace
from tests.heartbeat.in_process import answer_in_process
from tests.making import NOW

MOMENT = Moment(NOW, DecaySettings(), dt.UTC, None)


@pytest.fixture
def run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in which a heartbeat read two statements, of which one was known."""
    answer_in_process(monkeypatch)
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers green tea", "create": True})
    turns = [
        {"id": f"turn/{place:032x}", "session": "demo", "text": text, "speaker": "user"}
        for place, text in enumerate(["Anna prefers green tea", "Anna prefers short meetings"])
    ]
    workspace.submit("capture", {"session": "demo", "turns": turns})
    run_heartbeat(workspace)
    return workspace


def record(run_id: str, **fields: Any) -> dict[str, Any]:
    begun = {"run_id": run_id, "started_at": "2026-03-02T09:00:00Z", "status": "ok", "phases": [], "alerts": []}
    return {**begun, **fields}


def test_nothing_ran_yet(workspace: Workspace) -> None:
    found = heartbeat_overview(workspace)

    assert (found["runs"], found["now"], found["alerts"]) == ([], None, [])
    assert found["standing"]["last_tick"] is None
    assert found["cost"] == {"days": [], "phases": []}


def test_a_run_says_what_it_wrote(run: Workspace) -> None:
    listed = heartbeat_overview(run)["runs"]
    assert len(listed) == 1
    assert listed[0]["took_s"] == 0.0

    found = run_page(run, listed[0]["run_id"], MOMENT)
    assert {fact["text"]: fact["outcome"] for fact in found["facts"]} == {
        "Anna prefers short meetings": "created",
        "Anna prefers green tea": "confirmed",
    }
    assert found["outcomes"] == {"confirmed": 1, "created": 1}
    assert run_page(run, "1", MOMENT) == found
    with pytest.raises(NotFoundError):
        run_page(run, "nothing-like-it", MOMENT)


def test_what_was_written_by_hand_while_a_run_went_on_is_not_its_work(run: Workspace) -> None:
    run.submit("write", {"entity": "people/anna", "text": "Anna plays chess"})

    assert "Anna plays chess" not in str(run_page(run, "1", MOMENT))


def test_the_run_that_goes_on_says_its_phase_and_what_is_ahead(workspace: Workspace) -> None:
    phases = [{"phase": "extraction", "status": "ok", "summary": "2 facts", "stats": {}, "alerts": [], "duration_s": 1}]
    alive = {"pid": os.getpid(), "born": birth_of(os.getpid()), "status": "running", "phases": phases}
    RunRecords(workspace.paths.runs).save(record("01a", **alive))

    now = heartbeat_overview(workspace)["now"]
    assert (now["phase"], now["ahead"]) == ("synthesis", ["maintenance", "review"])
    assert [one["phase"] for one in now["phases"]] == ["extraction"]


def test_a_run_that_died_is_not_shown_as_running(workspace: Workspace) -> None:
    RunRecords(workspace.paths.runs).save(record("01a", status="running", pid=os.getpid(), born="another"))

    found = heartbeat_overview(workspace)
    assert found["now"] is None
    assert found["runs"][0]["status"] == "failed"
    assert "pid" not in json.dumps(found["runs"])


def test_what_models_took_is_added_up_by_day_and_by_phase(workspace: Workspace) -> None:
    taken = {"by": "claude", "calls": 2, "input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5}
    phase = {"phase": "extraction", "status": "ok", "summary": "", "stats": {}, "alerts": [], "model": taken}
    for name, day in (("01a", "2026-03-01"), ("01b", "2026-03-02"), ("01c", "2026-03-02")):
        RunRecords(workspace.paths.runs).save(record(name, started_at=f"{day}T09:00:00Z", phases=[phase]))

    cost = heartbeat_overview(workspace)["cost"]
    assert [(one["day"], one["calls"], one["cost_usd"]) for one in cost["days"]] == [
        ("2026-03-02", 4, 1.0),
        ("2026-03-01", 2, 0.5),
    ]
    assert cost["phases"] == [
        {"phase": "extraction", "calls": 6, "input_tokens": 300, "output_tokens": 60, "cost_usd": 1.5}
    ]


def test_only_so_many_runs_are_listed_and_the_others_counted(workspace: Workspace) -> None:
    for number in range(3):
        RunRecords(workspace.paths.runs).save(record(f"01{number}"))

    found = heartbeat_overview(workspace, most=2)
    assert ([one["run_id"] for one in found["runs"]], found["more"]) == (["012", "011"], 1)


def test_marks_say_how_far_each_reader_has_come(run: Workspace) -> None:
    with run.reading() as database:
        marks = {one["consumer"]: one for one in read_marks(database)}

    assert marks["extraction"]["marks"] == [{"key": "session:demo", "value": "2"}]
    assert marks["extraction"]["count"] == 1
