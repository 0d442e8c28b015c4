"""Doctor's look for secrets in what is stored: each thing once, its kind, and never the secret itself."""

import json
import os
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.language.screen import secrets
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.commands.command import CommandResult
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.fact import Actor
from engram.model.tension import Tension
from engram.services.doctor.secret_scan import find_in_files
from engram.services.doctor.secret_scan import find_in_journal
from engram.services.doctor.secret_scan import held_secrets
from engram.services.doctor.secret_scan import newest_change
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.heartbeat.in_process import answer_in_process
from tests.making import NOW
from tests.making import make_entity
from tests.making import make_fact


@pytest.fixture
def engram(engram: Engram, monkeypatch: pytest.MonkeyPatch) -> Engram:
    """Commands run in this process."""
    answer_in_process(monkeypatch)
    return engram


KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HELD = f"The key is {KEY}"


def turn(text: str) -> Turn:
    return Turn(id="turn/1", session="chat", text=text, ordinal=0)


def entry(text: str) -> NoteEntry:
    return NoteEntry(id="note/1", path="memory/a.md", text=text, sha256="0" * 64, start=0, end=1, line=1)


def session(platform: str) -> Session:
    return Session(name="chat", platform=platform, created_at=NOW)


def tension(text: str) -> Tension:
    return Tension(id="tension-0001", text=text, fact1="a", fact2="b", kind="manual", opened_at=NOW)


KEPT: dict[str, tuple[Callable[[str], Change], str]] = {
    "a fact": (lambda text: FactRecorded(fact=make_fact(text=text)), "people/anna-001"),
    "a value": (lambda text: FactRecorded(fact=make_fact(attribute="key", value=text)), "people/anna-001"),
    "a tag": (lambda text: FactRecorded(fact=make_fact(tags=[text])), "people/anna-001"),
    "a source": (lambda text: FactRecorded(fact=make_fact(source={"actor": "user", "label": text})), "people/anna-001"),
    "a turn": (lambda text: TurnCaptured(turn=turn(text)), "turn/1"),
    "a note": (lambda text: NoteRecorded(entry=entry(text)), "note/1"),
    "a title": (lambda text: EntityCreated(entity=make_entity(title=text)), "people/anna"),
    "a reason": (
        lambda text: FactRetracted(id="people/anna-001", at=NOW, reason=text, actor=Actor.USER),
        "people/anna-001",
    ),
    "a tension": (lambda text: TensionOpened(tension=tension(text)), "tension-0001"),
    "a platform": (lambda text: SessionAdded(session=session(text)), "chat"),
}


@pytest.mark.parametrize("thing", KEPT)
def test_a_secret_is_found_wherever_somebody_wrote_it(thing: str) -> None:
    make, name = KEPT[thing]

    assert [(held.name, held.kinds) for held in held_secrets([make(HELD)])] == [(name, ("github",))]
    assert held_secrets([make("The key is in the safe")]) == []


def test_a_fact_that_gave_its_place_is_told_from_one_that_agents_are_given() -> None:
    old, new = make_fact(text=HELD), make_fact(2, text=f"{HELD} and {KEY}")
    retired = FactSuperseded(id=old.id, by=new.id, at=NOW, was_wrong=True)

    found = held_secrets([FactRecorded(fact=old), FactRecorded(fact=new), retired])

    assert [(held.name, held.shown) for held in found] == [(old.id, False), (new.id, True)]


def test_a_secret_in_a_name_is_not_said_either(workspace: Workspace) -> None:
    fact = make_fact(entity=f"people/{KEY}", text=HELD)
    journal = workspace.journal
    result = CommandResult(command_id="c", kind="write", status="created")
    decision = Decision(actor=Actor.USER, asked_at=NOW, result=result, changes=(FactRecorded(fact=fact),))
    position, previous = journal.head()
    journal.append([Record(position=position + 1, previous=previous, at=NOW, decisions=(decision,))])

    (finding,) = find_in_journal(journal)

    assert finding.path == "people/[secret:github]-001"
    assert KEY not in finding.model_dump_json()


FILES = {
    "memory/main/2026-02-24.md": ("first line\n- HELD\n", "info", "line 2"),
    "MEMORY.md": ("HELD\n", "info", "line 1"),
    ".engram/edits/summary.md": ("HELD\n", "warning", "rm .engram/edits/summary.md"),
    ".engram/runs/r1.json": ('{"raw": {"answers": ["HELD"]}}', "warning", "rm .engram/runs/r1.json"),
    ".engram/hooks.log": ("user-prompt: ValueError: HELD\n", "warning", "rm .engram/hooks.log"),
    ".engram/spool/1-0-a.json": ('{"args": {"text": "HELD"}}', "warning", "engram heartbeat run"),
    ".engram/spool/rejected/1-0-a.json": ('{"args": "HELD"', "warning", "rm .engram/spool/rejected/1-0-a.json"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_secret_is_found_and_the_secret_is_not_said(tmp_path: Path, name: str) -> None:
    text, level, part = FILES[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("HELD", HELD), encoding="utf-8")

    (finding,) = find_in_files(Paths(tmp_path))

    assert (finding.path, finding.level) == (name, level)
    assert "github" in finding.message
    assert part in f"{finding.message}\n{finding.command}"
    assert KEY not in finding.model_dump_json()


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    paths, outside = Paths(tmp_path / "workspace"), tmp_path / "outside"
    (outside / "runs").mkdir(parents=True)
    for place in ("x.md", "runs/x.md"):
        (outside / place).write_text(HELD)
    for made in (paths.memory, paths.state):
        made.mkdir(parents=True)
    (paths.memory / "x.md").symlink_to(outside / "x.md")
    (paths.memory / "folder").symlink_to(outside)
    paths.self_file.symlink_to(outside / "x.md")
    paths.ops.symlink_to(outside)
    paths.runs.symlink_to(outside / "runs")

    assert list(find_in_files(paths)) == []
    assert newest_change(paths) == 0


def test_machine_state_behind_a_link_is_not_read(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "workspace")
    (tmp_path / "state" / "runs").mkdir(parents=True)
    (tmp_path / "state" / "runs" / "r1.json").write_text(HELD)
    paths.root.mkdir()
    paths.state.symlink_to(tmp_path / "state")

    assert list(find_in_files(paths)) == []


@pytest.mark.parametrize("folder", ["spool", "memory"])
def test_a_file_that_goes_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    paths = Paths(tmp_path)
    place: Path = getattr(paths, folder)
    place.mkdir(parents=True)
    (place / "stays.json").write_text(HELD)
    walk = os.walk

    def walk_behind(root: Path) -> Iterator[object]:
        for found, folders, names in walk(root):
            yield found, folders, [*names, "gone.json"]

    monkeypatch.setattr(os, "walk", walk_behind)
    assert newest_change(paths) > 0
    assert [one.path for one in find_in_files(paths)] == [paths.relative(place / "stays.json")]


def test_the_ids_that_engram_makes_are_no_secrets(engram: Engram) -> None:
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna likes tea", "--wait", "0")
    engram("session", "add", "chat")
    engram("note", "add", "Anna moved to Riga", "--session", "chat")
    engram("heartbeat", "run")
    engram("write", "--entity", "people/anna", "--fact", "Anna likes chess", "--wait", "0")

    codes = [one["code"] for one in engram("doctor", "--json").json["findings"]]

    assert [code for code in codes if code.startswith("secret-")] == []


@pytest.fixture
def stored(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact from before the shape of its secret was known."""
    with monkeypatch.context() as earlier:
        earlier.setattr("engram.language.screen.secrets._near", lambda _text: iter(()))
        secrets._redacted_before.cache_clear()  # a process remembers what it has read
        workspace.submit("write", {"entity": "people/anna", "text": HELD, "create": True})
    secrets._redacted_before.cache_clear()


@pytest.mark.usefixtures("stored")
def test_doctor_names_the_fact_and_the_command_that_takes_it_from_agents(engram: Engram) -> None:
    answer = engram("doctor", "--json")

    (finding,) = (one for one in answer.json["findings"] if one["code"] == "secret-stored")
    assert answer.code == 0
    assert (finding["path"], finding["level"]) == ("people/anna-001", "warning")
    assert finding["command"] == "engram correct people/anna-001 --fact 'The key is [secret:github]'"
    assert KEY not in answer.out


@pytest.mark.usefixtures("stored")
def test_fix_leaves_the_fact_alone_and_a_corrected_one_is_history(engram: Engram) -> None:
    fixed = engram("doctor", "--fix", "--json").json["findings"]
    assert [one["fixed"] for one in fixed if one["code"] == "secret-stored"] == [False]

    engram("correct", "people/anna-001", "--fact", "The key is [secret:github]")

    (finding,) = (one for one in engram("doctor", "--json").json["findings"] if one["code"] == "secret-stored")
    assert (finding["path"], finding["level"]) == ("people/anna-001", "info")
    assert json.dumps(finding).count("the journal keeps what it holds") == 1
