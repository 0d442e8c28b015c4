"""The pool of lessons as a file: out of one workspace and into another, with who wrote what."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.importers.any_format import import_any
from engram.importers.export_run import export_pool
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.services.test_silos_hold import make

LESSON = "Deployment failed due to a timeout; raising the health-check limit to 120 s fixed it"


def fill(workspace: Workspace, texts: dict[str, str]) -> None:
    """Write texts by their scope."""
    for scope, text in texts.items():
        source = {"actor": "user", "session": "writer/main"}
        args = {"entity": "projects/shop", "text": text, "category": "lesson", "scope": scope, "create": True}
        workspace.submit("write", {**args, "source": source}, actor=Actor.USER)


def known(workspace: Workspace) -> list[Fact]:
    with workspace.reading() as database:
        return database.list_facts(FactFilter(status="all"))


@pytest.mark.parametrize("is_empty", [True, False])
def test_the_lessons_alone_go_into_another_workspace_and_keep_who_wrote_them(tmp_path: Path, is_empty: bool) -> None:
    one, other = make(tmp_path / "one"), make(tmp_path / "other")
    fill(one, {"experience": LESSON, "shared": "The shop failed because of rain", "agent:main": "A private lesson"})
    if not is_empty:
        fill(other, {"shared": "Something that is known already"})
    file = tmp_path / "pool.jsonl"

    report = export_pool(one, str(file), dry_run=False)
    import_any(other, "jsonl", file, entity=None, as_own=False, dry_run=False)
    import_any(other, "jsonl", file, entity=None, as_own=False, dry_run=False)

    assert report.counts == {"entities": 1, "facts": 1}
    (taken,) = [fact for fact in known(other) if fact.scope == "experience"]
    assert (taken.text, taken.category, taken.trust) == (LESSON, "lesson", "unverified")
    assert (taken.source.label or "").endswith("writer/main")
    assert "private" not in json.dumps([fact.text for fact in known(other)])


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    workspace = make(tmp_path / "one")
    fill(workspace, {"experience": LESSON})

    assert export_pool(workspace, str(tmp_path / "pool.jsonl"), dry_run=True).counts["facts"] == 1
    assert not (tmp_path / "pool.jsonl").exists()


def test_the_command_line_writes_lists_and_exports_the_pool(engram: Engram, tmp_path: Path) -> None:
    def said(*words: str, code: int = 0) -> Any:
        result = engram("--json", *words)
        assert result.code == code, result
        return json.loads(result.out) if code == 0 else result.error

    written = said("write", LESSON, "--scope", "experience")
    assert written["guessed"]["category"] == "lesson"
    assert [fact["id"] for fact in said("facts", "--scope", "experience")["facts"]] == [written["id"]]
    assert said("facts", "--scope", "shared")["facts"] == []
    assert said("facts", "--scope", "nonsense", code=2)["error"] == "BadValue"
    assert said("export", str(tmp_path / "p.jsonl"), "--scope", "experience")["counts"]["facts"] == 1
    assert said("export", str(tmp_path / "p"), "--scope", "experience", "--redacted", code=2)["error"] == "Usage"
