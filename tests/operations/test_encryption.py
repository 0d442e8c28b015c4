"""Encryption turned on and off: no covered byte tells what was said, nothing is lost, and a kill is gone on from."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config import memory_folder
from engram.config.encryption_state import ON
from engram.config.encryption_state import read_encryption
from engram.config.settings import load_settings
from engram.errors import BadValueError
from engram.errors import EncryptionKeyError
from engram.errors import RefusedError
from engram.model.card import Card
from engram.model.card import Cards
from engram.operations.backups.backup import back_up
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import restore
from engram.operations.encryption.status import encryption_report
from engram.operations.encryption.switch import Switch
from engram.operations.upkeep import Upkeep
from engram.ports.database import FactFilter
from engram.store.encryption.store_cipher import lock_all
from engram.store.store_format import read_format
from engram.workspace import Workspace
from engram.workspace import open_workspace
from engram.workspace.card_file import write_cards
from tests import forked
from tests.conftest import Engram
from tests.making import NOW
from tests.store.encryption.making import SECRET

ROOT = Path(__file__).resolve().parents[2]
ON_POINTS = ("turning-on", "turned-on", "segment-converted", "file-converted", "before-encrypted")
OFF_POINTS = ("turning-off", "segment-converted", "file-converted", "before-decrypted")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keys, and the folder in memory, of the test's own."""
    (tmp_path / "memory").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(memory_folder, "BASE", tmp_path / "memory")
    mount_at(tmp_path, "tmpfs", monkeypatch)
    lock_all()
    yield
    lock_all()


def mount_at(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system say that a folder lies in a file system of a kind."""
    (folder / "mounts").write_text(f"disk / ext4 rw 0 0\nplace {folder} {kind} rw 0 0\n")
    monkeypatch.setattr(memory_folder, "MOUNTS", folder / "mounts")


def own_key(workspace: Workspace) -> Path:
    return workspace.paths.root.parent / "own.key"


def name_key(workspace: Workspace, source: str = "") -> Workspace:
    """Let the settings name a key, and return the workspace with them."""
    text = workspace.paths.settings.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("encryption_key")]
    lines = [line for line in lines if line != "[store]"]
    lines += ["[store]", f'encryption_key = "{source or f"file:{own_key(workspace)}"}"']
    workspace.paths.settings.write_text("\n".join(lines) + "\n")
    return Workspace(workspace.paths, load_settings(workspace.paths.settings), workspace.now)


def fill(workspace: Workspace) -> None:
    """Write what every covered place holds the sentence in."""
    workspace.submit("write", {"entity": "people/anna", "text": SECRET, "create": True})
    workspace.submit("write", {"entity": "people/anna", "text": "Anna lives in Riga"})
    workspace.store.refresh_mirror()
    with workspace.reading():
        pass
    paths = workspace.paths
    (paths.edits / "20260302T100000Z-summary.md").write_text(SECRET)
    write_cards(paths, Cards(cards=(Card(id="card-1", question=SECRET, words=SECRET, added=NOW.date()),)))
    (paths.journal / "torn-000000000001.jsonl-5").write_text(SECRET)
    (paths.spool / "rejected").mkdir(exist_ok=True)
    (paths.spool / "rejected" / "1-0-a.json").write_text(SECRET)
    (paths.spool / "rejected" / "1-0-a.reason.txt").write_text(SECRET)
    waiting(workspace)


def waiting(workspace: Workspace) -> None:
    args = {"entity": "people/anna", "text": f"{SECRET}, and a red one"}
    workspace.spool.put(workspace.envelope("write", args).model_dump(mode="json"))


def files_that_tell(workspace: Workspace) -> list[str]:
    """Return the files of the workspace in which the sentence stands, unpacked and read to the last byte."""
    found = []
    for path in sorted(workspace.paths.root.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            unpacked = subprocess.run(["gzip", "-dc"], input=raw, capture_output=True, check=False).stdout
            if SECRET.encode() in raw + unpacked or SECRET.encode("utf-16-le") in raw:
                found.append(workspace.paths.relative(path))
    return found


def texts(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return sorted(fact.text for fact in database.list_facts(FactFilter()))


def digests(workspace: Workspace) -> dict[str, str]:
    with workspace.store.projection.in_memory() as folded:
        return folded.digests()


def test_no_covered_byte_tells_what_was_said_and_all_of_it_is_still_known(workspace: Workspace) -> None:
    fill(workspace)
    assert len(files_that_tell(workspace)) > 5
    workspace = name_key(workspace)

    done = Switch(workspace).turn_on()

    assert done.status == "on"
    assert files_that_tell(workspace) == []
    assert texts(workspace) == sorted([SECRET, f"{SECRET}, and a red one", "Anna lives in Riga"])
    assert workspace.database.exists()
    assert files_that_tell(workspace) == []
    assert encryption_report(workspace) == ("on", f"file:{own_key(workspace)}", f"file:{own_key(workspace)}", "", ())


def test_what_is_written_afterwards_is_encrypted_as_well(workspace: Workspace) -> None:
    workspace = name_key(workspace)
    Switch(workspace).turn_on()

    fill(Workspace(workspace.paths, workspace.settings, workspace.now))
    for name in ("20260302T100000Z-summary.md", "torn-000000000001.jsonl-5", "1-0-a.json", "1-0-a.reason.txt"):
        next(workspace.paths.state.rglob(name)).unlink()  # what this test put there by hand
    workspace.index.rebuild()
    Upkeep(workspace).rebuild("all")

    assert files_that_tell(workspace) == []
    assert not (workspace.paths.state / "engram.duckdb").exists()
    assert not (workspace.paths.state / "index").exists()
    assert list((workspace.paths.life).rglob("*.md")) == []


def test_a_long_process_that_began_before_writes_nothing_in_the_clear(workspace: Workspace) -> None:
    fill(workspace)
    named = name_key(workspace)

    Switch(named).turn_on()
    workspace.submit("write", {"entity": "people/anna", "text": f"{SECRET} no more"})
    workspace.index.complete()

    assert files_that_tell(workspace) == []
    assert f"{SECRET} no more" in texts(workspace)


def test_hashes_and_digests_are_the_same_before_while_and_after(workspace: Workspace) -> None:
    fill(workspace)
    assert len(texts(workspace)) == 3  # the spool is applied: nothing comes from now on
    head, before = workspace.journal.head(), digests(workspace)
    workspace = name_key(workspace)

    Switch(workspace).turn_on()
    assert (workspace.journal.head(), digests(workspace)) == (head, before)
    assert not Upkeep(workspace).verify().problems

    Switch(workspace).turn_off()
    assert (workspace.journal.head(), digests(workspace)) == (head, before)
    assert not Upkeep(workspace).verify().problems


def test_turning_it_off_gives_every_file_back(workspace: Workspace) -> None:
    fill(workspace)
    texts(workspace)  # applies what waits, so that nothing comes to the journal from now on
    before = files_that_tell(workspace)
    journal = {path.name: path.read_bytes() for path in workspace.paths.journal.iterdir()}
    named = name_key(workspace)

    Switch(named).turn_on()
    Switch(named).turn_off()

    assert {path.name: path.read_bytes() for path in workspace.paths.journal.iterdir()} == journal
    texts(named)
    assert set(files_that_tell(named)) >= {name for name in before if "index" not in name}
    assert read_format(workspace.paths.format).min_reader == 1
    assert not workspace.paths.encryption.exists()
    assert list((workspace.paths.root.parent / "memory").rglob("engram.duckdb")) == []


def test_an_engram_that_knows_no_encryption_is_kept_out(workspace: Workspace) -> None:
    named = name_key(workspace)

    Switch(named).turn_on()

    assert read_format(workspace.paths.format).min_reader == read_format(workspace.paths.format).min_writer == 3


def test_doing_it_again_changes_nothing(workspace: Workspace) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    texts(named)
    before = {path: path.read_bytes() for path in workspace.paths.journal.iterdir()}

    assert Switch(named).turn_on().files == 0
    assert {path: path.read_bytes() for path in workspace.paths.journal.iterdir()} == before


def test_without_the_key_nothing_is_read_written_or_lost(workspace: Workspace) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    known = texts(named)
    key = own_key(workspace).read_text()
    own_key(workspace).unlink()
    lock_all()
    named.database.destroy()
    before = {path: path.read_bytes() for path in workspace.paths.journal.iterdir()}

    for act in (
        lambda: texts(named),
        lambda: named.submit("write", {"entity": "people/anna", "text": "Anna has a cat"}),
        lambda: Upkeep(named).rebuild("database"),
        Upkeep(named).repair_journal,
        Switch(named).turn_on,
        Switch(named).turn_off,
    ):
        with pytest.raises(EncryptionKeyError):
            act()

    assert before == {path: path.read_bytes() for path in workspace.paths.journal.iterdir()}
    assert not own_key(workspace).exists()
    assert encryption_report(named).problem
    own_key(workspace).write_text(key)
    assert texts(named) == sorted([*known, "Anna has a cat"])


def test_another_key_opens_it_after_a_change_and_the_old_one_no_more(workspace: Workspace, tmp_path: Path) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    known = texts(named)
    journal = {path: path.read_bytes() for path in workspace.paths.journal.iterdir()}

    with pytest.raises(RefusedError, match="another place"):
        Switch(named).change_key()
    Switch(name_key(named, f"file:{tmp_path}/second.key")).change_key()
    own_key(workspace).unlink()
    lock_all()

    assert texts(named) == known
    assert {path: path.read_bytes() for path in workspace.paths.journal.iterdir()} == journal


def test_what_cannot_be_is_refused_before_anything_changes(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="no key is named"):
        Switch(workspace).turn_on()
    with pytest.raises(BadValueError, match="within the workspace"):
        Switch(name_key(workspace, f"file:{workspace.paths.root}/own.key")).turn_on()
    with pytest.raises(RefusedError, match="not encrypted"):
        Switch(workspace).turn_off()
    (tmp_path / "memory").rmdir()
    with pytest.raises(RefusedError, match="this machine has no"):
        Switch(name_key(workspace)).turn_on()

    assert not workspace.paths.encryption.exists()
    assert not own_key(workspace).exists()


def test_a_folder_in_memory_that_others_may_read_is_not_used(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "memory" / f"engram-stores-{os.getuid()}").mkdir(mode=0o755)

    with pytest.raises(RefusedError, match="not this person's alone"):
        Switch(name_key(workspace)).turn_on()


def test_a_folder_that_only_seems_to_lie_in_memory_is_not_used(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as in a container that has a volume of its disk there."""
    mount_at(tmp_path, "ext4", monkeypatch)

    with pytest.raises(RefusedError, match="does not lie in memory here: it is of the kind ext4"):
        Switch(name_key(workspace)).turn_on()

    assert read_encryption(workspace.paths.encryption) is None
    assert list((tmp_path / "memory").iterdir()) == []


def test_pages_of_a_persons_own_stay_and_are_named(workspace: Workspace) -> None:
    fill(workspace)
    (workspace.paths.life / "people" / "plans.md").write_text("mine")

    done = Switch(name_key(workspace)).turn_on()

    assert done.left == ("life/people/plans.md",)


def kill_at(workspace: Workspace, point: str, verb: str) -> int:
    """Run `engram encrypt VERB` in a process that dies of SIGKILL at a point; return how it ended."""
    root = workspace.paths.root
    done = forked.run(
        [],
        env={**os.environ, "ENGRAM_FAULT_AT": point},
        target="tests.operations.encryption_kills:switch",
        given=[str(root.parent / "memory"), str(root), verb],
    )
    assert done.returncode in {0, -9}, done.stderr.decode()
    return done.returncode


@pytest.mark.parametrize("point", ON_POINTS)
def test_a_kill_while_it_is_turned_on_loses_nothing_and_is_gone_on_from(workspace: Workspace, point: str) -> None:
    fill(workspace)
    head = workspace.journal.head()
    named = name_key(workspace)

    assert kill_at(named, point, "turn_on") == -9

    waiting(named)
    assert named.journal.head()[0] >= head[0]
    assert len(texts(named)) == 3
    Switch(named).turn_on()
    assert files_that_tell(named) == []
    assert len(texts(named)) == 3
    state = read_encryption(named.paths.encryption)
    assert state is not None
    assert state.phase == ON


@pytest.mark.parametrize("point", OFF_POINTS)
def test_a_kill_while_it_is_turned_off_loses_nothing_and_is_gone_on_from(workspace: Workspace, point: str) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()

    assert kill_at(named, point, "turn_off") == -9

    assert len(texts(named)) == 3
    Switch(named).turn_off()
    assert len(texts(named)) == 3
    assert not Upkeep(named).verify().problems
    assert SECRET in (named.paths.edits / "20260302T100000Z-summary.md").read_text()


def test_the_command_says_what_it_covers_and_what_not(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    name_key(workspace)

    dry = engram("encrypt", "on", "--dry-run", "--json")
    assert dry.code == 0
    assert not workspace.paths.encryption.exists()
    assert engram("encrypt", "status", "--json").json["phase"] == "off"

    on = engram("encrypt", "on")
    assert (on.code, "memory/, MEMORY.md" in on.out, "keep a copy of the key" in on.out) == (0, True, True)
    assert engram("doctor", "--json").code == 0
    told = engram("encrypt", "status", "--json")
    assert (told.code, told.json["phase"], told.json["leftovers"]) == (0, "on", [])

    (workspace.paths.edits / "left.md").write_text(SECRET)
    left = engram("encrypt", "status", "--json")
    assert (left.code, left.json["leftovers"]) == (10, [".engram/edits/left.md"])

    assert engram("encrypt", "off").code == 0
    assert engram("encrypt", "status", "--json").json["phase"] == "off"


def test_hooks_spool_without_the_key_and_end_well(workspace: Workspace, engram: Engram) -> None:
    named = name_key(workspace)
    Switch(named).turn_on()
    own_key(workspace).unlink()
    lock_all()
    asked = json.dumps({"prompt": "I prefer oat milk in my coffee", "session_id": "s1", "cwd": "/"})

    assert engram("hooks", "run", "user-prompt", stdin=asked).code == 0
    assert engram("write", "--entity", "people/anna", "--fact", SECRET, "--create", "--wait", "0").code == 0

    assert any(SECRET.encode() not in path.read_bytes() for path in named.spool.waiting())
    assert files_that_tell(named) == []


def test_a_fact_without_the_key_is_kept_and_said_to_be(workspace: Workspace, engram: Engram) -> None:
    named = name_key(workspace)
    Switch(named).turn_on()
    key = own_key(workspace).read_text()
    own_key(workspace).unlink()
    lock_all()

    refused = engram("write", "--entity", "people/anna", "--fact", SECRET, "--create", "--json")

    assert (refused.code, refused.error["error"]) == (4, "EncryptionKey")
    assert "the fact is kept as command " in refused.error["message"]
    assert refused.error["message"].endswith(" and applied once the key is back")
    own_key(workspace).write_text(key)
    assert texts(named) == [SECRET]


def test_a_backup_holds_no_word_of_what_is_encrypted_and_restores_with_the_key(
    workspace: Workspace, tmp_path: Path
) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    known = texts(named)

    made = back_up(named, tmp_path / "kept")
    assert made.is_new
    assert not any(SECRET.encode() in path.read_bytes() for path in (tmp_path / "kept").rglob("*") if path.is_file())

    report = restore(tmp_path / "kept", tmp_path / "again", Point(), NOW)
    again = open_workspace(str(report.root), now=lambda: NOW)
    assert texts(again) == known
    assert again.journal.head() == named.journal.head()
    assert again.database != named.database
    assert not any(SECRET.encode() in path.read_bytes() for path in report.root.rglob("*") if path.is_file())
    assert texts(named) == known

    earlier = restore(tmp_path / "kept", tmp_path / "earlier", Point(position=1), NOW)
    assert texts(open_workspace(str(earlier.root), now=lambda: NOW)) == [SECRET]
    assert not any(SECRET.encode() in path.read_bytes() for path in earlier.root.rglob("*") if path.is_file())


def test_a_backup_does_not_restore_without_the_key(workspace: Workspace, tmp_path: Path) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    back_up(named, tmp_path / "kept")
    own_key(workspace).unlink()
    lock_all()

    with pytest.raises(EncryptionKeyError):
        restore(tmp_path / "kept", tmp_path / "again", Point(), NOW)

    assert not (tmp_path / "again").exists()


def test_what_is_forgotten_is_in_no_encrypted_file_either(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    texts(named)
    (fact,) = [one for one in engram("facts", "--json").json["facts"] if one["text"] == SECRET]

    receipt = engram("forget", fact["id"], "--yes", "--json")

    assert receipt.json["left"] == []
    assert receipt.code == 0
    assert encryption_report(named).leftovers == ()
    Switch(named).turn_off()
    assert not [name for name in files_that_tell(named) if "red one" not in (named.paths.root / name).read_text()]


def test_doctor_says_what_is_wrong_with_it(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    (workspace.paths.edits / "left.md").write_text(SECRET)
    name_key(named, f"file:{workspace.paths.root.parent}/another.key")

    codes = {found["code"] for found in engram("doctor", "--json").json["findings"]}
    assert {"encryption-leftover", "encryption-key-differs"} <= codes

    own_key(workspace).unlink()
    lock_all()
    locked = engram("doctor", "--json")
    assert locked.code == 6
    assert [found["code"] for found in locked.json["findings"]] == ["encryption-key-away"]


def test_after_the_machine_was_off_everything_is_made_again(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    named = name_key(workspace)
    Switch(named).turn_on()
    known = texts(named)
    shutil.rmtree(workspace.paths.root.parent / "memory")
    (workspace.paths.root.parent / "memory").mkdir()

    assert engram("doctor", "--json").code == 0
    assert engram("recall", "blue ledger").code == 0
    assert texts(Workspace(named.paths, named.settings, named.now)) == known


def test_what_killed_writes_left_half_done_goes(workspace: Workspace) -> None:
    fill(workspace)
    torn = [folder / ".tmp-01x" for folder in (workspace.paths.life / "people", workspace.paths.edits)]
    torn.append(workspace.paths.spool / ".tmp-01x")
    for path in torn:
        path.write_text(SECRET)
        os.utime(path, (0, 0))
    being_written = workspace.paths.spool / ".tmp-01y"
    being_written.write_text("{")
    named = name_key(workspace)

    Switch(named).turn_on()

    assert files_that_tell(named) == []
    assert being_written.exists()
    assert encryption_report(named).leftovers == ()
