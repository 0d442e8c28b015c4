"""Commands that go through every fact of a store read it in pages: of a million facts none of them holds all."""

from pathlib import Path
from typing import Any

import pytest

from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.store.database.duck_database import DuckFactDatabase
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith


def fill(workspace: Workspace) -> None:
    said: list[tuple[str, str, dict[str, Any]]] = [
        ("people/anna", "Anna works at Acme", {"attribute": "employer", "value": "Acme"}),
        ("people/anna", "Always call Anna on Fridays until the release is out", {"category": "instruction"}),
        ("people/anna", "Anna plays chess", {"tags": ["game"], "related": ["projects/club"]}),
        ("projects/club", "The club meets on Mondays", {"related": ["people/anna"]}),
        ("projects/club", "The club learnt to ask first", {"category": "lesson", "scope": "experience"}),
    ]
    for entity, text, fields in said:
        workspace.submit("write", {"entity": entity, "create": True, "text": text, **fields})


@pytest.mark.parametrize(
    "words",
    [
        ("facts",),
        ("facts", "--json"),
        ("facts", "--status", "all"),
        ("facts", "--as-of", "2026-01-01"),
        ("facts", "--as-known", "2026-01-01", "-n", "1"),
        ("export",),
        ("export", "--redacted"),
        ("export", "--scope", "experience"),
        ("export", "PLACE", "--format", "markdown"),
        ("export", "PLACE", "--format", "markdown", "--redacted"),
        ("export", "PLACE", "--format", "json"),
        ("graph", "export", "--format", "json"),
        ("graph", "export", "--format", "graphml"),
        ("graph", "export", "--format", "html", "--as-of", "2026-01-01"),
        ("graph", "relations"),
        ("graph", "neighbors", "people/anna"),
        ("graph", "communities"),
        ("contradictions", "--entity", "people/anna", "--fact", "Anna plays no chess", "--cross-entity"),
        ("recall", "chess", "--category", "context"),
        ("forget", "--entity", "people/anna", "--dry-run"),
        ("diff", "--since", "30d"),
        ("doctor",),
        ("verify",),
        ("status",),
        ("entity", "list"),
    ],
    ids=" ".join,
)
def test_none_of_them_holds_every_fact(
    workspace_with: WorkspaceWith,
    engram: Engram,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    workspace_with(fill)
    engram("facts")  # which applies what waits
    read_at_once = DuckFactDatabase.list_facts

    def narrowed(database: DuckFactDatabase, wanted: FactFilter) -> list[Fact]:
        asked = wanted._replace(status="active", scopes=())
        assert asked != FactFilter(), "every fact is read at once"
        return read_at_once(database, wanted)

    monkeypatch.setattr(DuckFactDatabase, "list_facts", narrowed)
    answer = engram(*(str(tmp_path / "out") if word == "PLACE" else word for word in words))

    assert answer.code in {0, 1}, answer.err
    assert "read at once" not in answer.err
