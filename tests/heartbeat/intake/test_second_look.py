"""What was judged by its words for want of time is judged once more when there is time for vectors."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.config.settings import parse_settings
from engram.heartbeat.child import child_answer
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.intake.second_look import Tried
from engram.heartbeat.intake.second_look import second_look_marks
from engram.heartbeat.intake.second_look import waiting_for_second_look
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.conversation import NoteEntry
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.notes import put_note
from tests.store.embedding.making import make_model

NOTE = "memory/main/main/2026-02-20.md"
TEXT = "## Decisions\n\n" + "".join(f"- Decided to move service {place} to PostgreSQL 16\n" for place in range(5))
HARDLY = 1e-6  # seconds for vectors: too few for any

Tick = Callable[..., PhaseResult]


@pytest.fixture
def tick(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children_here: None) -> Tick:
    """Run one tick that may embed for so many seconds, with these options; return what extraction says of it."""
    monkeypatch.delenv("ENGRAM_EMBEDDINGS")
    folder = str(make_model(tmp_path / "tiny-e5"))
    put_note(workspace, NOTE.removeprefix("memory/"), TEXT)

    def run(embedding_s: float, options: RunOptions | None = None) -> PhaseResult:
        fresh = open_workspace(str(workspace.paths.root), now=workspace.now)
        chosen = {"embeddings": {"provider": "folder", "folder": folder}, "heartbeat": {"embedding_s": embedding_s}}
        fresh.settings = parse_settings(chosen, "test")
        return next(one for one in run_heartbeat(fresh, options or RunOptions()).phases if one.phase == "extraction")

    return run


def waiting(workspace: Workspace) -> dict[str, tuple[str, int]]:
    with workspace.reading() as database:
        return {key: (one.day, one.times) for key, one in waiting_for_second_look(database).items()}


def texts(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return sorted(fact.text for fact in database.list_facts(FactFilter(status="all")))


def test_it_is_read_once_more_and_nothing_is_drawn_twice(workspace: Workspace, tick: Tick) -> None:
    assert "read once more" not in tick(HARDLY).summary
    assert waiting(workspace) == {f"note:{NOTE}": ("2026-02-20", 1)}
    drawn = texts(workspace)

    assert "read once more" in tick(60.0).summary
    assert waiting(workspace) == {}
    assert set(drawn) <= set(texts(workspace))
    assert len(texts(workspace)) == len(set(texts(workspace)))
    assert "nothing new" in tick(60.0).summary


def test_what_a_person_took_back_meanwhile_does_not_come_back(workspace: Workspace, tick: Tick) -> None:
    tick(HARDLY)
    with workspace.reading() as database:
        taken_back, *others = database.list_facts(FactFilter())
    workspace.submit("retract", {"id": taken_back.id, "reason": "no"})
    tick(60.0)

    with workspace.reading() as database:
        held = [fact.id for fact in database.list_facts(FactFilter())]
    assert others
    assert held == [fact.id for fact in others]


def test_it_is_not_tried_for_ever(workspace: Workspace, tick: Tick) -> None:
    for times in (1, 2, 3):
        tick(HARDLY)
        assert waiting(workspace) == {f"note:{NOTE}": ("2026-02-20", times)}
    tick(HARDLY)

    assert waiting(workspace) == {}
    assert "nothing new" in tick(HARDLY).summary


def test_an_agent_is_not_asked_again_and_what_waits_goes_on_waiting(
    workspace: Workspace, tick: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick(HARDLY)
    monkeypatch.setattr(child_answer, "run_limited", lambda *_, **__: pytest.fail("the agent is asked"))

    said = tick(60.0, RunOptions(phases=("extraction",), agent_command=("some-agent",)))

    assert "nothing new" in said.summary
    assert waiting(workspace) == {f"note:{NOTE}": ("2026-02-20", 1)}


def test_a_note_that_has_gone_waits_no_longer(workspace: Workspace, tick: Tick) -> None:
    tick(HARDLY)
    (workspace.paths.root / NOTE).unlink()

    tick(60.0)

    assert waiting(workspace) == {}


def test_where_no_vectors_are_wanted_nothing_waits(workspace: Workspace, tick: Tick) -> None:
    tick(0.0)

    assert waiting(workspace) == {}


def test_only_what_lacks_a_vector_is_noted_with_its_newest_day() -> None:
    rows = [_entry(number, on) for number, on in enumerate(("2026-02-01", "2026-02-03", None))]

    marks = second_look_marks(rows, {"n0"}, {"session:a": Tried("2026-01-01", 1, "r1")}, ["session:a"], "r2")

    assert {mark.key: mark.value for mark in marks} == {"note:memory/a.md": "2026-02-03 1 r2", "session:a": ""}


def _entry(number: int, on: str | None) -> NoteEntry:
    raw = {"path": "memory/a.md", "text": "x", "sha256": "0", "start": 0, "end": 1, "line": 1, "actor": "agent"}
    return NoteEntry.model_validate({**raw, "id": f"n{number}", "on": on})
