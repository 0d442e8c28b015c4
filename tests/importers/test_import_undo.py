"""Undo: what an import made and nobody changed since, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.errors import NotFoundError
from engram.importers import import_undo
from engram.importers.import_run import import_memory
from engram.importers.import_undo import list_imports
from engram.importers.import_undo import undo_import
from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.importers.test_import_run import everything
from tests.importers.test_import_run import facts


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with a chain, two plain facts and a note."""
    rows: list[dict[str, Any]] = [
        {"id": "m-001", "fact": "Mira works at Northwind", "status": "superseded", "supersededBy": "m-002"},
        {"id": "m-002", "fact": "Mira works at Contoso"},
        {"id": "m-003", "fact": "Mira keeps bees"},
        {"id": "m-004", "fact": "Mira swims"},
    ]
    folder = tmp_path / "old/life/people/mira"
    folder.mkdir(parents=True)
    (folder / "items.json").write_text(json.dumps(rows))
    (tmp_path / "old/memory").mkdir()
    (tmp_path / "old/memory/2025-01-02.md").write_text("- Mira sold honey\n")
    return tmp_path / "old"


MADE = "entities that it made: people/mira"


def live(workspace: Workspace) -> set[str]:
    return {fact.text for fact in facts(workspace, "active")}


def test_what_nobody_touched_is_taken_back(workspace: Workspace, source: Path) -> None:
    workspace.submit("write", {"entity": "people/tom", "create": True, "text": "Tom paints"})
    import_memory(workspace, "engram-v2", source)

    report = undo_import(workspace, "import-0001", dry_run=False)

    assert {"Tom paints"} == live(workspace)
    assert len(report.retracted) == 3
    assert list(workspace.paths.memory.iterdir()) == []
    assert report.kept == [MADE]


def test_what_was_changed_since_stays_and_is_named(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "engram-v2", source)
    by_text = {fact.text: fact.id for fact in facts(workspace)}
    workspace.submit("confirm", {"id": by_text["Mira keeps bees"]})
    workspace.submit("correct", {"id": by_text["Mira swims"], "text": "Mira rows"})
    (workspace.paths.memory / "engram-v2/2025-01-02.md").write_text("mine now")

    report = undo_import(workspace, "import-0001", dry_run=False)

    assert {"Mira keeps bees", "Mira rows"} == live(workspace)
    assert len(report.kept) == 4
    assert (workspace.paths.memory / "engram-v2/2025-01-02.md").is_file()


def test_a_dry_run_tells_the_same_and_changes_nothing(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "engram-v2", source)
    before = everything(workspace.paths.root)

    planned = undo_import(workspace, "import-0001", dry_run=True)

    assert before == everything(workspace.paths.root)
    assert planned._replace(dry_run=False) == undo_import(workspace, "import-0001", dry_run=False)


def test_an_undo_that_was_killed_is_taken_up_again(
    workspace: Workspace, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_memory(workspace, "engram-v2", source)
    with monkeypatch.context() as killing:
        killing.setattr(Workspace, "envelope", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            undo_import(workspace, "import-0001", dry_run=False)

    report = undo_import(workspace, "import-0001", dry_run=False)

    assert len(report.retracted) == 3
    assert set() == live(workspace)
    assert list(workspace.paths.memory.iterdir()) == []
    assert report.kept == [MADE]


def test_undoing_twice_is_the_same_as_once(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "engram-v2", source)
    undo_import(workspace, "import-0001", dry_run=False)
    before = everything(workspace.paths.root)

    report = undo_import(workspace, "import-0001", dry_run=False)

    assert (report.retracted, report.removed) == ([], [])
    assert before == everything(workspace.paths.root)
    assert [one.undone_at is not None for one in list_imports(workspace)] == [True]


def test_what_was_undone_can_be_imported_again_and_undone_again(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "engram-v2", source)
    expected = live(workspace)
    undo_import(workspace, "import-0001", dry_run=False)

    again = import_memory(workspace, "engram-v2", source)

    assert again.import_id == "import-0002"
    assert expected == live(workspace)
    assert (workspace.paths.memory / "engram-v2/2025-01-02.md").is_file()
    undo_import(workspace, "import-0002", dry_run=False)
    assert set() == live(workspace)


def test_a_fact_that_gave_way_to_the_import_is_named(workspace: Workspace, source: Path) -> None:
    old = {
        "entity": "people/mira",
        "create": True,
        "text": "Mira does odd jobs",
        "attribute": "employer",
        "value": "many",
    }
    workspace.submit("write", old, actor=Actor.IMPORT)  # trusted no more than what comes now
    (source / "life/people/mira/items.json").write_text(
        json.dumps([{"id": "m-1", "fact": "Mira is with Contoso", "attribute": "employer", "value": "Contoso"}])
    )
    import_memory(workspace, "engram-v2", source)

    report = undo_import(workspace, "import-0001", dry_run=False)

    assert report.kept == ["people/mira-001: it gave way to people/mira-002; write it again if it holds"]


def test_an_unknown_import_names_those_there_are(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "engram-v2", source)

    with pytest.raises(NotFoundError, match="import-0009") as caught:
        undo_import(workspace, "import-0009", dry_run=False)

    assert "import-0001" in caught.value.hint


def test_what_another_process_took_back_meanwhile_is_told_by_that_one(
    workspace: Workspace, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_memory(workspace, "engram-v2", source)
    reports = []

    def meanwhile(paths: object, names: object) -> None:
        monkeypatch.undo()
        reports.append(undo_import(workspace, "import-0001", dry_run=False))

    monkeypatch.setattr(import_undo, "_remove", meanwhile)
    reports.append(undo_import(workspace, "import-0001", dry_run=False))

    assert [len(one.retracted) for one in reports] == [3, 0]


def test_what_somebody_vouches_for_meanwhile_stays(
    workspace: Workspace, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_memory(workspace, "engram-v2", source)
    fact = facts(workspace, "active")[0]

    def meanwhile(paths: object, names: object) -> None:
        workspace.submit("confirm", {"id": fact.id}, actor=Actor.USER)

    monkeypatch.setattr(import_undo, "_remove", meanwhile)
    report = undo_import(workspace, "import-0001", dry_run=False)

    assert fact.id not in report.retracted
    assert [line.split(":")[0] for line in report.kept if "changed it since" in line] == [fact.id]
    assert live(workspace) == {fact.text}
