"""The spool of an encrypted store: written without the key, read with it, and never lost for want of it."""

from pathlib import Path

import pytest

from engram.config.encryption_state import FILE
from engram.errors import EncryptionKeyError
from engram.errors import MalformedInputError
from engram.errors import NewerFormatError
from engram.store.encryption.store_cipher import lock_all
from engram.store.spool import Spool
from engram.workspace.spool_drain import read_envelope
from tests.store.encryption.making import SECRET
from tests.store.encryption.making import make_encrypted

COMMAND = {"v": 1, "id": "a", "kind": "write", "at": "2026-03-02T10:00:00Z", "actor": "user", "args": {"fact": SECRET}}


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    lock_all()
    make_encrypted(tmp_path / FILE, tmp_path / "own.key")
    return Spool(tmp_path / "spool")


def test_a_command_is_durable_without_the_key_and_comes_back_with_it(tmp_path: Path, spool: Spool) -> None:
    key = (tmp_path / "own.key").read_text()
    (tmp_path / "own.key").unlink()

    path = spool.put(COMMAND)

    assert SECRET.encode() not in path.read_bytes()
    with pytest.raises(EncryptionKeyError):
        spool.read(path)
    assert spool.waiting() == [path]
    (tmp_path / "own.key").write_text(key)
    assert read_envelope(spool.read(path)).args["fact"] == SECRET


def test_an_engram_that_knows_no_encryption_leaves_it_alone(spool: Spool) -> None:
    with pytest.raises(NewerFormatError):
        read_envelope(spool.put(COMMAND).read_bytes())


def test_a_command_that_was_changed_is_malformed(spool: Spool) -> None:
    path = spool.put(COMMAND)
    data = path.read_bytes()
    path.write_bytes(data[:-10] + (b"A" if data[-10:-9] != b"A" else b"B") + data[-9:])

    with pytest.raises(MalformedInputError):
        spool.read(path)


def test_a_result_is_not_left_in_the_clear(tmp_path: Path, spool: Spool) -> None:
    spool.leave_result("a", SECRET)

    assert SECRET.encode() not in (tmp_path / "spool" / "results" / "a").read_bytes()
    assert spool.take_result("a") == SECRET
    assert spool.take_result("a") is None
