"""`engram forget` erases what a person names, wherever it is written, and a crash leaves nothing half done."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config.sections.memory import StoreSettings
from engram.config.settings import Settings
from engram.errors import StoreBusyError
from engram.model.conversation import Turn
from engram.model.fact import Actor
from engram.operations.forget import Forgetting
from engram.services.erasure.plan import ForgetQuery
from engram.workspace import Workspace
from tests import forked
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in
from tests.sparse import parts_of

pytestmark = pytest.mark.usefixtures("children_here")

SECRET = "Anna's blood type is AB, negative"
KEPT = "Anna prefers green tea"
IDS = {"secret": "people/anna-001", "kept": "people/anna-002", "derived": "people/anna-003"}
NOTE = f"# 2026-03-02\n\n## Decisions\n\n- We decided to use PostgreSQL 16 for Billing\n- {SECRET}\n"


def bytes_of(root: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file of a workspace with its bytes, unpacked; those of an index are mostly holes, which are left out."""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            raw = b"\0".join(parts_of(path))
            yield path, gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def test_sound_16_the_index_is_not_taken_from_under_a_question(workspace: Workspace) -> None:
    fill(workspace)
    workspace.index.catch_up()
    impatient = Workspace(workspace.paths, Settings(store=StoreSettings(wait_s=0)), workspace.now)
    forgetting = Forgetting(impatient)
    plan = forgetting.plan(ForgetQuery(fact=IDS["secret"]))

    with workspace.index.searching():
        before = sorted(workspace.paths.index.rglob("*"))
        with pytest.raises(StoreBusyError):
            forgetting.run(plan, "asked")
        during = sorted(workspace.paths.index.rglob("*"))
    Forgetting(workspace).resume()

    assert before == during
    assert holding(workspace.paths.index, SECRET) == {}


def whole(root: Path) -> dict[Path, bytes]:
    """Return every file with all its bytes, but what tells who had a lock."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".engram/locks" not in str(path)}


def holding(root: Path, *words: str) -> dict[str, bytes]:
    """Return the files that hold one of these words, with what stands around it."""
    found = {}
    for path, raw in bytes_of(root):
        for word in words:
            if (at := raw.find(word.encode())) >= 0:
                found[str(path.relative_to(root))] = raw[max(at - 100, 0) : at + 100]
    return found


def fill(workspace: Workspace) -> None:
    """Tell the secret wherever it can be told."""
    root = workspace.paths.root
    engram = engram_in(workspace)
    for text in (SECRET, KEPT):
        assert engram("write", "--entity", "people/anna", "--create", "--fact", text).code == 0
    day = root / "memory" / "main" / "main" / "2026-03-02.md"
    day.parent.mkdir(parents=True)
    day.write_text(NOTE, encoding="utf-8")
    turns = [{"id": "t1", "session": "demo", "speaker": "user", "text": f"Remember: {SECRET}. And {KEPT}."}]
    workspace.submit("capture", {"session": "demo", "turns": turns})
    derived = {"text": "Anna needs AB negative blood when she is hurt", "derived_from": [IDS["secret"]]}
    made = workspace.submit("write", {"entity": "people/anna", "source": {"actor": "agent"}, **derived})
    assert made.id == IDS["derived"]
    assert engram("heartbeat", "run").code == 0
    assert engram("recall", "what blood type does Anna have").code == 0
    (workspace.paths.state / "hooks.log").write_text(f"{json.dumps(SECRET)}\n", encoding="utf-8")
    (workspace.paths.edits / "old.md").write_text(f"- {SECRET}\n", encoding="utf-8")
    assert len(holding(root, "blood")) > 8


@pytest.fixture
def told(workspace_with: WorkspaceWith) -> dict[str, str]:
    """A workspace in which the secret stands wherever it can; the ids of facts by name."""
    workspace_with(fill)
    return IDS


def test_no_byte_of_it_is_left_and_all_else_is(engram: Engram, workspace: Workspace, told: dict[str, str]) -> None:
    before = {one["id"]: one["text"] for one in engram("facts", "--status", "all", "--json").json["facts"]}

    answer = engram("forget", told["secret"], "--reason", "she asked", "--yes", "--json")

    assert (answer.code, answer.json["left"]) == (0, [])
    assert holding(workspace.paths.root, "blood", "AB, negative") == {}
    assert {told["secret"], told["derived"]} <= {*answer.json["removed"]["facts"]}
    assert answer.json["removed"]["derived"] == [told["derived"]]
    after = {one["id"]: one["text"] for one in engram("facts", "--status", "all", "--json").json["facts"]}
    gone = {*answer.json["removed"]["facts"]}
    assert after == {key: "[forgotten]" if key in gone else text for key, text in before.items()}
    assert engram("show", told["secret"], "--json").json["status"] == "retracted"
    assert engram("verify").code == 0
    assert engram("doctor").code == 0
    assert engram("recall", "what tea does Anna prefer", "--json").json["hits"][0]["text"] == KEPT


def test_the_next_heartbeat_brings_nothing_back(engram: Engram, workspace: Workspace, told: dict[str, str]) -> None:
    assert engram("forget", told["secret"], "--yes").code == 0
    known = _texts(engram)

    run = engram("heartbeat", "run")

    assert (run.code, "alert" in run.out) == (0, False)
    assert _texts(engram) == known
    assert holding(workspace.paths.root, "blood") == {}
    assert engram("rebuild", "all").code == 0
    assert _texts(engram) == known


def test_the_journal_says_what_was_done_and_what_it_was_before(
    engram: Engram, workspace: Workspace, told: dict[str, str]
) -> None:
    head = engram("verify", "--json").json["head"]

    assert engram("forget", told["secret"], "--reason", "she asked", "--yes").code == 0

    results = [one.result for record, _ in workspace.journal.read() for one in record.decisions]
    (done,) = (result for result in results if result.kind == "forget")
    assert (done.reason, done.details["former_head"]) == ("forgotten: she asked", head)
    assert told["secret"] in done.details["facts"]


def test_a_plan_changes_nothing(engram: Engram, workspace: Workspace, told: dict[str, str]) -> None:
    before = whole(workspace.paths.root)

    dry = engram("forget", told["secret"], "--dry-run", "--json")
    unsure = engram("forget", told["secret"])

    assert (dry.code, dry.json["dry_run"], dry.json["derived"]) == (0, True, [told["derived"]])
    assert (unsure.code, "add --yes" in unsure.err, told["secret"] in unsure.err) == (2, True, True)
    assert whole(workspace.paths.root) == before


def test_what_was_forgotten_already_is_said_and_nothing_is_written_anew(
    engram: Engram, workspace: Workspace, told: dict[str, str]
) -> None:
    assert engram("forget", told["secret"], "--yes").code == 0
    assert engram("forget", "--source", "demo", "--yes").code == 0
    before = whole(workspace.paths.root)

    again = engram("forget", told["secret"], "--yes", "--json")
    shown = engram("forget", told["secret"])
    planned = engram("forget", told["secret"], "--dry-run", "--json")
    source = engram("forget", "--source", "demo", "--yes", "--json")

    assert [one.code for one in (again, shown, planned, source)] == [0, 0, 0, 0]
    assert (again.json["status"], again.json["already"]) == ("forgotten", [told["secret"]])
    assert (again.json["removed"]["facts"], again.json["removed"]["records"]) == ([], 0)
    assert f"{told['secret']} was forgotten already" in shown.out
    assert (planned.json["already"], planned.json["facts"]) == ([told["secret"]], [])
    assert (source.json["already"], source.json["removed"]["turns"], source.json["removed"]["records"]) == (
        ["demo"],
        [],
        0,
    )
    assert whole(workspace.paths.root) == before


def test_an_entity_goes_with_its_name_and_what_names_it_is_listed(
    engram: Engram, workspace: Workspace, told: dict[str, str]
) -> None:
    other = engram("write", "--entity", "people/boris", "--create", "--fact", "Boris met Anna in Riga", "--json").json[
        "id"
    ]

    answer = engram("forget", "--entity", "Anna", "--yes", "--json")

    assert answer.json["removed"]["entities"] == ["people/anna"]
    assert other in answer.json["mentions"]
    assert holding(workspace.paths.root, "people/anna", KEPT, SECRET) == {}
    paths = {one["path"] for one in engram("entity", "list", "--json").json["entities"]}
    assert "people/anna" not in paths
    assert engram("verify").code == 0
    assert engram("doctor").code == 0


def test_a_session_goes_with_its_turns_and_what_was_drawn_from_it(
    engram: Engram, workspace: Workspace, told: dict[str, str]
) -> None:
    answer = engram("forget", "--source", "demo", "--yes", "--json")

    assert len(answer.json["removed"]["turns"]) == 1
    assert [turn.text for turn in _turns(workspace)] == ["[forgotten]"]
    assert engram("show", told["kept"], "--json").json["text"] == KEPT  # it was written by hand


def test_a_note_goes_as_a_file(engram: Engram, workspace: Workspace, told: dict[str, str]) -> None:
    path = "memory/main/main/2026-03-02.md"

    answer = engram("forget", "--source", path, "--yes", "--json")

    assert (answer.code, answer.json["removed"]["notes"]) == (0, [path])
    assert not (workspace.paths.root / path).exists()
    assert holding(workspace.paths.root, "PostgreSQL 16 for Billing") == {}


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["people/nobody-001", "--yes"], 3),
        (["--source", "nowhere", "--yes"], 3),
        (["--entity", "people/nobody", "--yes"], 3),
        (["--yes"], 2),
        (["people/anna-001", "--source", "demo", "--yes"], 2),
        (["--resume"], 4),
    ],
)
def test_what_cannot_be_forgotten_is_one_sentence(
    engram: Engram, told: dict[str, str], args: list[str], code: int
) -> None:
    answer = engram("forget", *args)

    assert (answer.code, answer.err.count("error: ")) == (code, 1)


def test_an_agent_cannot_have_something_forgotten(workspace: Workspace, told: dict[str, str]) -> None:
    args = {"ids": [told["secret"]], "former_head": "0" * 64}

    assert workspace.submit("forget", args, actor=Actor.AGENT).status == "refused"


@pytest.mark.parametrize(
    "at", ["journal-rewritten", "journal-rewriting-complete", "segment-replaced", "before-journal", "after-journal"]
)
def test_a_kill_leaves_the_memory_whole_and_the_work_to_be_gone_on_with(
    engram: Engram, workspace: Workspace, told: dict[str, str], at: str
) -> None:
    root = workspace.paths.root
    env = {**os.environ, "ENGRAM_FAULT_AT": at, "ENGRAM_EMBEDDINGS": "none"}

    killed = forked.run(["--workspace", str(root), "forget", told["secret"], "--yes"], env=env)

    assert killed.returncode == -9, killed.stderr
    facts = {one["id"]: one["text"] for one in engram("facts", "--status", "all", "--json").json["facts"]}
    assert facts[told["kept"]] == KEPT
    assert "forget-unfinished" in engram("doctor", "--json").out
    answer = engram("forget", "--resume", "--json")
    assert (answer.code, answer.json["left"]) == (0, [])
    assert holding(root, "blood") == {}
    assert engram("verify").code == 0
    assert engram("doctor").code == 0


def test_what_depends_on_a_source_is_listed_and_taken_back(engram: Engram) -> None:
    written = ("write", "--entity", "people/anna", "--create", "--json", "--fact")
    own = engram(*written, "Anna lives in Riga", "--source", "https://example.org/anna").json["id"]
    made = engram(*written, "Anna needs a flat in Riga", "--derived-from", own).json["id"]
    other = engram(*written, "Anna prefers tea").json["id"]

    listed = engram("taint", "https://example.org/anna", "--json").json
    planned = engram("taint", "https://example.org/anna", "--retract", "--dry-run", "--json").json
    assert [(one["id"], one["derived"]) for one in listed["facts"]] == [(own, False), (made, True)]
    assert (listed["retracted"], planned["retracted"]) == ([], [])

    done = engram("taint", "https://example.org/anna", "--retract", "--json").json

    assert done["retracted"] == [own, made]
    status = {one["id"]: one["status"] for one in engram("facts", "--status", "all", "--json").json["facts"]}
    assert status == {own: "retracted", made: "retracted", other: "active"}
    assert engram("taint", "nowhere").code == 3


def _texts(engram: Engram) -> dict[str, str]:
    return {one["id"]: one["text"] for one in engram("facts", "--status", "all", "--json").json["facts"]}


def _turns(workspace: Workspace) -> list[Turn]:
    with workspace.reading() as database:
        return list(database.list_turns("demo"))


def test_the_receipt_names_the_backups_that_may_hold_it_and_a_new_one_does_not(
    workspace: Workspace, engram: Engram, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    assert engram("write", "--entity", "people/anna", "--create", "--fact", SECRET).code == 0
    assert engram("write", "--entity", "people/anna", "--fact", KEPT).code == 0
    before = engram("backup", str(disk), "--json").json["backup"]

    receipt = engram("forget", IDS["secret"], "--reason", "private", "--yes", "--json").json
    assert [str(disk / "backups" / f"{before}.json")] == receipt["kept_in_backups"]

    after = engram("backup", str(disk), "--json")  # into the same folder, although the hashes are others now
    assert after.code == 0, after.err
    assert holding(disk, SECRET)
    (disk / "backups" / f"{before}.json").unlink()
    assert engram("backup", str(disk)).code == 0
    assert holding(disk, SECRET) == {}
    assert engram("backup", "verify", str(disk)).code == 0
