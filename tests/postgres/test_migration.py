"""A workspace moves to the server and back: the same bytes, and whole wherever the move is cut short."""

import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import psycopg
import pytest

from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.config.settings import load_settings
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.operations.backups.backup import back_up
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import restore
from engram.operations.store_migration import migrate_to_files
from engram.operations.store_migration import migrate_to_server
from engram.operations.upkeep import Upkeep
from engram.workspace import Workspace
from tests.making import NOW
from tests.postgres.machines import digests_of
from tests.postgres.machines import lines_of
from tests.postgres.machines import make_machine
from tests.postgres.machines import opened
from tests.postgres.machines import texts
from tests.postgres.machines import write
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres
TEXTS = ["Anna lives in Riga", "Anna plays chess", "Anna prefers tea"]


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.make_database()


@pytest.fixture
def filled(tmp_path: Path) -> Workspace:
    """A workspace of files with three facts."""
    workspace = opened(make_machine(tmp_path / "filled", ""))
    for text in TEXTS:
        write(workspace, text)
    return workspace


def again(workspace: Workspace) -> Workspace:
    return opened(workspace.paths.root)


def test_a_workspace_moves_there_and_back_with_equal_digests(filled: Workspace, url: str, tmp_path: Path) -> None:
    lines, digests = lines_of(filled), digests_of(filled)

    there = migrate_to_server(filled, url, "team")
    other = opened(make_machine(tmp_path / "other", url))
    assert (lines_of(again(filled)), digests_of(again(filled))) == (lines, digests)
    assert (digests_of(other), lines_of(other)) == (digests, lines)
    write(other, "Anna knows Latvian")
    back = migrate_to_files(again(filled))

    assert back.digest != there.digest
    assert len(lines_of(again(filled))) == len(lines) + 1
    assert Upkeep(again(filled)).verify().problems == ()
    write(again(filled), "Anna sails")
    once_more = migrate_to_server(again(filled), url, "team")
    assert once_more.copied == 1
    assert texts(other) == texts(again(filled))
    assert back.head != once_more.head


def test_after_the_move_to_files_the_server_takes_nothing_more(filled: Workspace, url: str, tmp_path: Path) -> None:
    migrate_to_server(filled, url, "team")
    other = opened(make_machine(tmp_path / "other", url))
    assert texts(other) == TEXTS
    migrate_to_files(again(filled))

    kept = other.submit("write", {"entity": "people/anna", "text": "Anna knows Latvian"})

    assert (str(kept.status), kept.details) == ("accepted", {"shared": False})
    assert "moved elsewhere" in (kept.reason or "")
    assert texts(other) == TEXTS
    assert len(other.spool.waiting()) == 1


def test_a_process_of_before_the_move_writes_into_neither_place(filled: Workspace, url: str) -> None:
    before = again(filled)
    migrate_to_server(filled, url, "team")
    write(again(filled), "Anna knows Latvian")
    with pytest.raises(SettingsError, match="copy of 'team'"):
        write(before, "Anna sails")

    on_server = again(filled)
    texts(on_server)
    migrate_to_files(again(filled))
    with pytest.raises(SettingsError, match="moved to files"):
        write(on_server, "Anna rides")

    # both were taken into the spool, and are applied by the next process
    assert texts(again(filled)) == sorted([*TEXTS, "Anna knows Latvian", "Anna rides", "Anna sails"])


def test_a_process_of_before_the_move_writes_no_fork_right_after_it(
    filled: Workspace, url: str, tmp_path: Path
) -> None:
    before = again(filled)
    migrate_to_server(filled, url, "team")
    with pytest.raises(SettingsError, match="copy of 'team'"):  # though no command has looked at the server yet
        write(before, "Anna sails")
    write(opened(make_machine(tmp_path / "other", url)), "Anna knows Latvian")

    assert texts(again(filled)) == sorted([*TEXTS, "Anna knows Latvian", "Anna sails"])


@pytest.mark.parametrize("point", ["within-migration", "before-shared-journal", "before-migration", "after-migration"])
def test_a_move_to_the_server_that_is_killed_is_gone_on_with(filled: Workspace, url: str, point: str) -> None:
    lines = lines_of(filled)
    died = in_process(filled, ["migrate-store", "--to", url, "--name", "team"], fault=point)
    assert died.returncode == -signal.SIGKILL
    assert lines_of(again(filled)) == lines
    assert write(again(filled), "Anna knows Latvian") == "created"

    if not load_settings(filled.paths.settings).journal.url:
        migrate_to_server(again(filled), url, "team")

    assert load_settings(filled.paths.settings).journal.url == url
    assert texts(again(filled)) == sorted([*TEXTS, "Anna knows Latvian"])
    assert write(again(filled), "Anna sails") == "created"


@pytest.mark.parametrize("point", ["before-migration", "after-migration"])
def test_a_move_to_files_that_is_killed_is_gone_on_with(filled: Workspace, url: str, point: str) -> None:
    migrate_to_server(filled, url, "team")
    write(again(filled), "Anna knows Latvian")

    died = in_process(filled, ["migrate-store", "--to", "files"], fault=point)
    assert died.returncode == -signal.SIGKILL
    assert len(texts(again(filled))) == 4
    if load_settings(filled.paths.settings).journal.url:
        done = in_process(filled, ["migrate-store", "--to", "files"])
        assert (done.returncode, done.stderr) == (0, "")

    assert write(again(filled), "Anna sails") == "created"
    assert len(texts(again(filled))) == 5


def test_lines_of_an_earlier_version_move_byte_for_byte(filled: Workspace, url: str, tmp_path: Path) -> None:
    """Such as one with its fields in another order: made anew from its record, it would be another line."""
    segment = next(filled.paths.journal.glob("0*.jsonl"))
    first, *others = segment.read_bytes().splitlines()
    record = json.loads(first[9:])
    body = json.dumps(dict(reversed(record.items())), ensure_ascii=False, separators=(",", ":")).encode()
    lines = [f"{zlib.crc32(body):08x} ".encode() + body]
    for line in others:
        body = line[9:].replace(sha256_hex(first).encode(), sha256_hex(lines[-1]).encode())
        first = line
        lines.append(f"{zlib.crc32(body):08x} ".encode() + body)
    segment.write_bytes(b"".join(line + b"\n" for line in lines))
    filled.paths.database.unlink()
    assert texts(filled) == TEXTS

    migrate_to_server(filled, url, "team")

    assert lines_of(opened(make_machine(tmp_path / "other", url))) == []
    other = opened(tmp_path / "other")
    assert texts(other) == TEXTS
    assert lines_of(other) == lines


def test_another_memory_of_that_name_is_not_mixed_in(filled: Workspace, url: str, tmp_path: Path) -> None:
    other = opened(make_machine(tmp_path / "other", url))
    write(other, "Bert prefers coffee", "people/bert")

    with pytest.raises(RefusedError, match="another memory"):
        migrate_to_server(filled, url, "team")
    assert texts(again(filled)) == TEXTS
    assert texts(other) == ["Bert prefers coffee"]
    assert not load_settings(filled.paths.settings).journal.url


def test_a_password_in_the_address_is_refused_and_not_said_again(filled: Workspace, url: str) -> None:
    for address in (url.replace("engram@", "engram:hunter2@"), f"{url}?password=hunter2", f"{url}?sslpassword=hunter2"):
        with pytest.raises(BadValueError) as refused:
            migrate_to_server(filled, address, "team")
        assert "hunter2" not in str(refused.value) + refused.value.hint
        done = in_process(filled, ["migrate-store", "--to", address, "--name", "team"])
        assert done.returncode == 2
        assert "hunter2" not in done.stdout + done.stderr
        done = in_process(filled, ["config", "journal.url", address])
        assert done.returncode == 2
        assert "hunter2" not in done.stdout + done.stderr


def test_without_its_server_a_machine_can_go_on_alone(filled: Workspace, url: str, server: PostgresServer) -> None:
    migrate_to_server(filled, url, "team")
    assert texts(again(filled)) == TEXTS
    server.stop()
    try:
        done = migrate_to_files(again(filled), server_is_gone=True)
        assert done.digest == ""
        assert write(again(filled), "Anna sails") == "created"
    finally:
        server.start()


def test_a_backup_of_a_shared_journal_restores_to_a_workspace_of_its_own(
    filled: Workspace, url: str, tmp_path: Path
) -> None:
    migrate_to_server(filled, url, "team")
    shared = again(filled)
    back_up(shared, tmp_path / "backups")
    write(shared, "Anna sails")

    report = restore(tmp_path / "backups", tmp_path / "restored", Point(), NOW)

    restored = opened(report.root)
    assert texts(restored) == TEXTS
    assert write(restored, "Anna rides") == "created"
    assert texts(shared) == sorted([*TEXTS, "Anna sails"])


def in_process(workspace: Workspace, words: list[str], fault: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ENGRAM_FAULT_AT": fault}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_an_encrypted_store_is_not_put_on_a_server_in_plain_text(
    filled: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Paths, "is_encrypted", True)

    with pytest.raises(SettingsError, match="encrypted"):
        migrate_to_server(filled, url, "team")
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('engram.record')").fetchall() == [(None,)]
