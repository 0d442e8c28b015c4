"""A past too long to embed in one tick: words at once, vectors in later ticks, and none made twice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.config.settings import parse_settings
from engram.heartbeat.maintenance.state import load_state
from engram.heartbeat.run.runner import run_heartbeat
from engram.ports.index import SearchFilter
from engram.services.index.full_catch_up import Allowance
from engram.store.embedding.onnx_model import OnnxModel
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import Engram
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.store.embedding.making import make_model

Tick = Callable[[float], str]


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


@pytest.fixture
def opened(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Workspace]:
    """Open a workspace with 40 lines of notes and a model, whose ticks may embed for so many seconds."""
    monkeypatch.delenv("ENGRAM_EMBEDDINGS")
    folder = str(make_model(tmp_path / "tiny-e5"))
    put_note(workspace, "2026-02-20.md", "".join(f"- is this tea number {place}?\n" for place in range(40)))

    def opened(embedding_s: float) -> Workspace:
        fresh = open_workspace(str(workspace.paths.root), now=workspace.now)
        fresh.settings = parse_settings(
            {"embeddings": {"provider": "folder", "folder": folder}, "heartbeat": {"embedding_s": embedding_s}}, "test"
        )
        return fresh

    return opened


@pytest.fixture
def tick(opened: Callable[[float], Workspace]) -> Tick:
    """Run one tick that may embed for so many seconds; return what maintenance says of it."""

    def run(embedding_s: float) -> str:
        phases = run_heartbeat(opened(embedding_s)).phases
        return next(one.summary for one in phases if one.phase == "maintenance")

    return run


def test_words_are_found_at_once_and_the_next_tick_goes_on(workspace: Workspace, tick: Tick) -> None:
    said = tick(0.0)

    assert "40 texts are found by their words alone" in said
    assert workspace.index.unembedded() == 40
    with workspace.index.searching() as index:
        assert index.search("tea", SearchFilter(), limit=50)["lexical"]

    assert "words alone" not in tick(60.0)
    assert workspace.index.unembedded() == 0
    assert tick(60.0) == "nothing new since the last run"


def test_a_tick_that_only_goes_on_embedding_leaves_no_record(workspace: Workspace, tick: Tick) -> None:
    for _ in range(3):
        tick(0.0)
    runs = {path.name for path in workspace.paths.runs.iterdir()}
    notes = {path.name for path in workspace.paths.memory.rglob("*.md")}

    tick(0.0)
    tick(60.0)

    assert runs == {path.name for path in workspace.paths.runs.iterdir()}
    assert notes == {path.name for path in workspace.paths.memory.rglob("*.md")}


def test_status_tells_how_many_are_to_come(workspace: Workspace, tick: Tick, engram: Engram) -> None:
    tick(0.0)

    assert engram("status", "--json").json["unembedded"] == 40
    assert "40 texts; each heartbeat goes on" in engram("status").out
    tick(60.0)
    assert "each heartbeat goes on" not in engram("status").out


def test_the_first_tick_over_a_long_past_leaves_the_longer_looks_to_the_next_one(
    workspace: Workspace, tick: Tick
) -> None:
    tick(0.0)
    first = load_state(workspace.paths.maintenance_state)
    tick(0.0)
    second = load_state(workspace.paths.maintenance_state)

    assert (first.checked_on, first.patterns) == (None, "")
    assert second.checked_on is not None
    assert second.scanned == workspace.journal.head()[0]


def test_an_index_made_anew_asks_the_model_nothing(
    opened: Callable[[float], Workspace], tick: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick(60.0)
    monkeypatch.setattr(OnnxModel, "embed", lambda *_: pytest.fail("a text is embedded twice"))

    stats = opened(0.0).index.rebuild(Allowance(0.0))

    assert stats["documents"] == 40
    assert "unembedded" not in stats
