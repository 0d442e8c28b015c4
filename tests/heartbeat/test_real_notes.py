"""The heartbeat on real daily notes of agents, read in place where they are: found, exact, and nothing twice.

The usual run reads every sixth note, which are of all the agents; the soak reads every note.
"""

import hashlib
import shutil
import tarfile
from pathlib import Path

import pytest

from engram.heartbeat.synthesis.phase import WEEKS_LEFT
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import Answer
from tests.conftest import engram_in
from tests.conftest import workspace_in
from tests.making import NOW
from tests.shared import SHARED
from tests.shared import needs
from tests.sparse import copy_folder

ARCHIVE = SHARED / "data" / "daily_notes.tar.gz"
NOTES = 87  # in the archive

pytestmark = needs(ARCHIVE)


class TwoRuns:
    """A workspace with real notes after two heartbeats, and what these said."""

    def __init__(self, folder: Path, step: int) -> None:
        self.step = step
        self.workspace = workspace_in(folder)
        unpacked = folder / "notes"
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(unpacked, filter="data")
        notes = sorted(unpacked.rglob("*.md"))
        assert len(notes) == NOTES
        for note in notes[::step]:
            target = self.workspace.paths.memory / "main" / note.relative_to(unpacked)
            target.parent.mkdir(parents=True, exist_ok=True)
            note.rename(target)
        engram = engram_in(self.workspace)
        self.first: Answer = engram("heartbeat", "run", "--json")
        self.second: Answer = engram("heartbeat", "run", "--json")  # its note has the report of the first: nothing new
        figures = {phase["phase"]: phase["stats"] for phase in self.first.json["phases"]}
        self.leaves_weeks = bool(figures["synthesis"].get(WEEKS_LEFT))  # so that the second run looks at everything

    def copied(self, folder: Path) -> Workspace:
        """Return a copy for one test."""
        copy_folder(self.workspace.paths.root, folder / "copy")
        return open_workspace(str(folder / "copy"), now=lambda: NOW)


@pytest.fixture(scope="module", params=[6, pytest.param(1, marks=pytest.mark.soak)])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    return TwoRuns(tmp_path_factory.mktemp("real"), request.param)


def read(workspace: Workspace, fact: Fact) -> bytes:
    return (workspace.paths.root / str(fact.source.path)).read_bytes()


def test_facts_stand_in_the_notes_a_second_run_finds_nothing_and_a_line_above_is_found(
    runs: TwoRuns, tmp_path: Path
) -> None:
    workspace = runs.copied(tmp_path)
    engram = engram_in(workspace)
    phases = {phase["phase"]: phase["status"] for phase in runs.first.json["phases"]}
    assert runs.first.code == 0
    # The review may warn: it says that tensions wait for a person.
    assert {name: status for name, status in phases.items() if name != "review"} == {
        "extraction": "ok",
        "synthesis": "ok",
        "maintenance": "ok",
    }
    with workspace.reading() as database:
        facts = database.list_facts(FactFilter())

    assert facts
    for fact in facts:
        source = fact.source
        span = read(workspace, fact)[source.start : source.end]
        assert hashlib.sha256(span).hexdigest() == source.sha256
        assert span.decode()

    second = runs.second.json["phases"][0]
    said = "nothing new to read" if runs.leaves_weeks else "nothing new since the last run"
    assert (second["status"], second["summary"]) == ("skipped", said)
    assert runs.leaves_weeks == (runs.step == 1)  # every note tells of more weeks than one run rolls up

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


def test_everything_but_the_journal_can_be_deleted_and_comes_back_the_same(runs: TwoRuns, tmp_path: Path) -> None:
    workspace = runs.copied(tmp_path)
    engram = engram_in(workspace)
    assert [runs.first.code, runs.second.code] == [0, 0]
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
