"""The heartbeat on real daily notes of agents, read in place where they are: found, exact, and nothing twice."""

import hashlib
import shutil
import tarfile
from pathlib import Path

import pytest

from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.shared import SHARED
from tests.shared import needs

ARCHIVE = SHARED / "data" / "daily_notes.tar.gz"

pytestmark = needs(ARCHIVE)


@pytest.fixture
def notes(workspace: Workspace) -> list[Path]:
    """Real notes in the workspace's memory/."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(workspace.paths.memory / "main", filter="data")
    return sorted(workspace.paths.memory.rglob("*.md"))


def read(workspace: Workspace, fact: Fact) -> bytes:
    return (workspace.paths.root / str(fact.source.path)).read_bytes()


def test_facts_stand_in_the_notes_a_second_run_finds_nothing_and_a_line_above_is_found(
    engram: Engram, workspace: Workspace, notes: list[Path]
) -> None:
    first = engram("heartbeat", "run", "--json")
    phases = {phase["phase"]: phase["status"] for phase in first.json["phases"]}
    assert first.code == 0
    # The review may warn: it says that tensions wait for a person.
    assert {name: status for name, status in phases.items() if name != "review"} == {
        "extraction": "ok",
        "synthesis": "ok",
        "maintenance": "ok",
    }
    with workspace.reading() as database:
        facts = database.list_facts(FactFilter())

    assert len(notes) == 87
    assert facts
    for fact in facts:
        source = fact.source
        span = read(workspace, fact)[source.start : source.end]
        assert hashlib.sha256(span).hexdigest() == source.sha256
        assert span.decode()

    second = engram("heartbeat", "run", "--json").json["phases"][0]
    assert (second["status"], second["summary"]) == ("skipped", "nothing new since the last run")

    # What stood in front matter is ordinary text once something stands above it, so such a note is not taken.
    plain = next(fact for fact in facts if not read(workspace, fact).startswith(b"---"))
    entity = plain.entity
    note = workspace.paths.root / str(plain.source.path)
    note.write_bytes(f"- We decided to keep [[{entity}]] for ten more years.\n\n".encode() + note.read_bytes())
    third = engram("heartbeat", "run", "--json").json["phases"][0]
    with workspace.reading() as database:
        texts = {fact.text for fact in database.list_facts(FactFilter(entity=entity))}

    assert (third["stats"]["entries"], third["stats"]["created"]) == (1, 1)
    assert any("for ten more years" in text for text in texts)


def test_everything_but_the_journal_can_be_deleted_and_comes_back_the_same(
    engram: Engram, workspace: Workspace, notes: list[Path]
) -> None:
    assert notes
    assert engram("heartbeat", "run").code == 0
    assert engram("heartbeat", "run").code == 0  # the report of the first run stands in a note: nothing new in it
    before, life = engram("verify", "--json").json, files_under(workspace.paths.life)

    workspace.paths.database.unlink()
    shutil.rmtree(workspace.paths.index)
    shutil.rmtree(workspace.paths.life)
    rebuilt = engram("rebuild", "all")

    assert rebuilt.code == 0, rebuilt.err
    after = engram("verify", "--json").json
    assert (before["ok"], before["degraded"]) == (True, [])
    assert before["digests"] == after["digests"]
    assert life == files_under(workspace.paths.life)
    assert len(life) > 2


def files_under(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by relative name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
