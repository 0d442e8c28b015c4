"""Signed heads: a forged record with mended hashes is found, nothing is made of it, and what nobody signed is told."""

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.base.text import sha256_hex
from engram.config.paths import config_folder
from engram.errors import BadValueError
from engram.errors import DamagedBackupError
from engram.errors import DamagedJournalError
from engram.heartbeat.maintenance.safety import keep_safe
from engram.model.changes.record import GENESIS
from engram.operations.backups.backup import back_up
from engram.operations.backups.backup_check import verify_backups
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import restore
from engram.operations.forget import Forgetting
from engram.operations.setup import make_workspace
from engram.operations.upkeep import Upkeep
from engram.services.backup.history import head_text
from engram.services.erasure.plan import ForgetQuery
from engram.store.backup_folder import _digest_of
from engram.store.signature import head_register
from engram.store.signature import key
from engram.store.signature.key import ensure_key
from engram.store.signature.key import find_key
from engram.workspace import Workspace
from engram.workspace import open_workspace
from engram.workspace.signed_history import sign_history
from tests.conftest import Engram
from tests.making import NOW


def say(workspace: Workspace, text: str) -> None:
    assert workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}).exit_code == 0


def sign(workspace: Workspace) -> int:
    return sign_history(workspace.paths, workspace.journal, NOW).position


@pytest.fixture
def signed(workspace: Workspace) -> Workspace:
    """A workspace with three facts whose journal was signed, and one that came later."""
    for text in ("Anna prefers tea", "Anna lives in Bern", "Anna sings"):
        say(workspace, text)
    assert sign(workspace) == 3
    say(workspace, "Anna dances")
    return workspace


def forge(workspace: Workspace, was: bytes = b"Anna prefers tea", now: bytes = b"Anna prefers gin") -> None:
    """Change words in the journal and mend every checksum and hash after it, as somebody would who knows the format."""
    segment = workspace.paths.journal / "000000000001.jsonl"
    previous, lines = GENESIS, []
    for line in segment.read_bytes().splitlines():
        record = json.loads(line[9:].replace(was, now))
        body = json.dumps({**record, "previous": previous}, ensure_ascii=False, separators=(",", ":")).encode()
        lines.append(f"{zlib.crc32(body):08x} ".encode() + body)
        previous = sha256_hex(lines[-1])
    segment.write_bytes(b"".join(line + b"\n" for line in lines))


def without_projections(workspace: Workspace) -> None:
    workspace.paths.database.unlink()
    shutil.rmtree(workspace.paths.life)
    workspace.paths.mirror_state.unlink()


def opened(workspace: Workspace) -> Workspace:
    return open_workspace(str(workspace.paths.root), now=lambda: NOW)


def problems(workspace: Workspace) -> tuple[str, ...]:
    return Upkeep(opened(workspace)).verify().problems


def test_what_was_written_after_the_last_signed_head_is_told(signed: Workspace, engram: Engram) -> None:
    checked = Upkeep(signed).verify()

    assert checked.problems == ()
    assert checked.signed is not None
    assert (checked.signed["position"], checked.signed["unsigned"]) == (3, 1)
    assert "1 record since then, which nobody vouches for" in engram("verify").out


def test_a_journal_that_was_never_signed_says_so(workspace: Workspace, engram: Engram) -> None:
    say(workspace, "Anna prefers tea")

    assert Upkeep(workspace).verify().signed is None
    assert "no; no head of this journal was signed here" in engram("verify").out


def test_a_forged_record_with_mended_hashes_is_found_and_nothing_is_made_of_it(
    signed: Workspace, engram: Engram
) -> None:
    forge(signed)
    without_projections(signed)  # so that nothing in the workspace knows better
    assert [record.position for record, _ in opened(signed).journal.read()] == [1, 2, 3, 4]  # the chain itself holds

    assert engram("rebuild", "database").code == 6
    assert engram("write", "--entity", "people/anna", "--fact", "Anna swims").code == 6
    assert engram("verify").code == 6
    assert "is not the one that was signed" in engram("verify").err
    assert not signed.paths.database.exists() or "gin" not in engram("facts").out
    assert "journal-not-as-signed" in engram("doctor").out


def test_a_forged_record_is_found_beside_a_database(signed: Workspace) -> None:
    forge(signed)

    assert any("is not the one that was signed" in problem for problem in problems(signed))


@pytest.mark.parametrize("what", ["signature gone", "signature altered", "register gone"])
def test_one_of_the_two_witnesses_is_enough(signed: Workspace, what: str) -> None:
    path = signed.paths.signed_head
    changes: dict[str, Callable[[], object]] = {
        "signature gone": path.unlink,
        "signature altered": lambda: path.write_text(path.read_text().replace('"position": 3', '"position": 2')),
        "register gone": lambda: head_register.register_head(signed.paths.root, None),
    }
    forge(signed)
    changes[what]()

    assert any("signed" in problem for problem in problems(signed))


def test_an_older_journal_with_its_older_signature_is_found(signed: Workspace, tmp_path: Path) -> None:
    shutil.copytree(signed.paths.root, tmp_path / "older")
    sign(signed)
    shutil.rmtree(signed.paths.root)
    shutil.move(tmp_path / "older", signed.paths.root)
    (signed.paths.journal / "000000000001.jsonl").write_bytes(
        b"".join((signed.paths.journal / "000000000001.jsonl").read_bytes().splitlines(keepends=True)[:3])
    )
    signed.paths.database.unlink()

    with pytest.raises(DamagedJournalError, match="up to position 4, and does not reach it"):
        Upkeep(opened(signed)).verify()


def test_a_new_workspace_where_another_one_stood_is_not_held_to_its_journal(signed: Workspace) -> None:
    root = signed.paths.root
    shutil.rmtree(root)
    make_workspace(root, {"owner": "nobody"}, now=lambda: NOW, force=False, dry_run=False)

    say(opened(signed), "Boris prefers tea")

    assert Upkeep(opened(signed)).verify().problems == ()


def test_making_what_is_missing_of_a_workspace_keeps_what_was_signed(signed: Workspace) -> None:
    forge(signed)
    signed.paths.settings.unlink()
    make_workspace(signed.paths.root, {"owner": "nobody"}, now=lambda: NOW, force=False, dry_run=False)

    assert any("is not the one that was signed" in problem for problem in problems(signed))


def test_a_database_that_is_behind_takes_nothing_in_from_another_past(signed: Workspace) -> None:
    kept = signed.paths.database.read_bytes()
    say(signed, "Anna swims")
    forge(signed)
    head_register.register_head(signed.paths.root, None)
    signed.paths.signed_head.unlink()
    signed.paths.database.write_bytes(kept)

    with pytest.raises(DamagedJournalError, match="is not the one that the database was made from"):
        say(opened(signed), "Anna reads")


def test_a_forged_journal_is_neither_signed_nor_backed_up_by_the_heartbeat(signed: Workspace, tmp_path: Path) -> None:
    forge(signed)
    settings = signed.settings.model_copy(
        update={"backup": signed.settings.backup.model_copy(update={"folder": str(tmp_path / "disk")})}
    )

    alerts = keep_safe(Workspace(signed.paths, settings, lambda: NOW)).alerts

    assert len(alerts) == 2
    assert all("is not the one that was signed" in alert for alert in alerts)
    assert not list((tmp_path / "disk").glob("backups/*"))


def test_a_person_can_accept_a_journal_as_it_is(signed: Workspace, engram: Engram) -> None:
    forge(signed)
    without_projections(signed)

    assert engram("verify", "--sign").code == 0

    assert engram("rebuild", "all").code == 0
    assert problems(signed) == ()


def test_the_key_lies_outside_of_the_workspace_and_is_private(signed: Workspace) -> None:
    file = config_folder() / "signing.key"

    assert file.stat().st_mode & 0o777 == 0o600
    assert config_folder().stat().st_mode & 0o077 == 0
    secret = file.read_bytes().strip()
    assert [path for path in signed.paths.root.rglob("*") if path.is_file() and secret in path.read_bytes()] == []


def test_where_no_key_can_be_kept_nothing_is_signed_and_nothing_fails(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    say(workspace, "Anna prefers tea")

    report = back_up(workspace, tmp_path / "disk")

    assert report.manifest.key == ""
    assert not workspace.paths.signed_head.exists()


def test_a_key_that_is_there_stays(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    first = ensure_key()
    key._into_file("00" * 32)  # as another process would that makes one at the same time

    assert first is not None
    assert first == find_key()


def test_what_is_forgotten_on_purpose_is_no_forgery(signed: Workspace) -> None:
    forgetting = Forgetting(signed)
    forgetting.run(forgetting.plan(ForgetQuery(fact="people/anna-001")), "private")

    checked = Upkeep(opened(signed)).verify()
    assert checked.problems == ()
    assert checked.signed is not None
    assert checked.signed["unsigned"] == 0


def test_a_forged_journal_is_not_made_good_by_forgetting(signed: Workspace) -> None:
    forgetting = Forgetting(signed)
    plan = forgetting.plan(ForgetQuery(fact="people/anna-002"))
    forge(signed)

    with pytest.raises(DamagedJournalError):
        forgetting.run(plan, "private")


def test_a_head_that_was_noted_down_is_looked_for(signed: Workspace, engram: Engram) -> None:
    noted = [head_text(record.position, sha256_hex(line)) for record, line in signed.journal.read()]
    hashes = [one.partition(":")[2] for one in noted]

    for place, head in enumerate(noted, 1):
        assert engram("verify", "--expect", head, "--json").json["expected_at"] == place
        assert engram("verify", "--expect", hashes[place - 1][:16], "--json").json["expected_at"] == place
    missing = engram("verify", "--expect", f"2:{hashes[2]}")
    assert missing.code == 6
    assert "the journal has no record with the head" in missing.out
    with pytest.raises(BadValueError):
        Upkeep(signed).verify("abc")


def test_a_backup_bears_a_signature_and_a_forged_one_does_not(signed: Workspace, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    made = back_up(signed, disk).manifest
    assert [one.is_signed for one in verify_backups(disk)] == [True]
    path = disk / "backups" / f"{made.id}.json"
    fields = json.loads(path.read_text())
    fields["files"] = [file for file in fields["files"] if file["path"] != "MEMORY.md"]
    fields["sha256"] = _digest_of(fields)
    path.write_text(json.dumps(fields))

    assert "signature of its key" in verify_backups(disk)[0].problems[-1]
    with pytest.raises(DamagedBackupError, match="signature"):
        restore(disk, tmp_path / "again", Point(), NOW)

    path.write_text(json.dumps({**fields, "key": "", "signature": ""}))
    assert not restore(disk, tmp_path / "again", Point(), NOW).is_signed


def test_what_comes_of_a_signed_backup_is_vouched_for(signed: Workspace, tmp_path: Path) -> None:
    back_up(signed, tmp_path / "disk")
    say(signed, "Anna swims")
    sign(signed)
    shutil.rmtree(signed.paths.root)

    report = restore(tmp_path / "disk", None, Point(), NOW)

    checked = Upkeep(opened(signed)).verify()
    assert report.is_signed
    assert checked.problems == ()
    assert checked.signed is not None
    assert (checked.signed["position"], checked.signed["unsigned"]) == (4, 0)
