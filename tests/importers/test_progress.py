"""Who looks on is told how far a capture, an import and a rebuild are."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from engram.importers.any_format import import_any
from engram.importers.capture import capture_files
from engram.importers.transcripts.files import Choices
from engram.operations.upkeep import Upkeep
from engram.workspace import Workspace

Told = list[tuple[str, int, int]]


@pytest.fixture
def told(workspace: Workspace) -> Told:
    """What was told: what is done, how much of it, and of how much."""
    said: Told = []

    def tell(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        said.append((what, done, total))

    workspace.progress = tell
    return said


def grows(said: Told, what: str) -> bool:
    """Tell whether it was told from none to all, and never less than before."""
    done = [(done, total) for name, done, total in said if name == what]
    return done[0][0] == 0 and done[-1][0] == done[-1][1] > 0 and all(one[0] <= two[0] for one, two in pairwise(done))


def test_a_capture_tells_how_much_of_its_files_is_read(workspace: Workspace, told: Told, tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines = [json.dumps({"session": name, "text": f"line {number} " + "x" * 200}) for number in range(50)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]

    capture_files(workspace, files, Choices("auto", None, None, workspace.settings.zone, "main"), dry_run=False,
                  progress=workspace.progress)  # fmt: skip

    assert grows(told, "reading conversations, kB")
    assert len(told) > 10


def test_an_import_tells_how_many_of_its_items_are_recorded(workspace: Workspace, told: Told, tmp_path: Path) -> None:
    memories = [{"id": str(number), "memory": f"Anna read book {number}", "user_id": "anna"} for number in range(3)]
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": memories}))

    report = import_any(workspace, "mem0", file)

    assert not report.refused
    assert grows(told, "importing")


def test_a_rebuild_names_what_it_makes(workspace: Workspace, told: Told) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna sings", "create": True})

    Upkeep(workspace).rebuild("all")

    named = [what for what, *_ in told if what.startswith("rebuilding")]
    assert named == ["rebuilding the database", "rebuilding the index", "rebuilding the mirror"]
