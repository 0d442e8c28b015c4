"""What is encrypted opens with the right key, at its place, and in no other way; without encryption nothing changes."""

import base64
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config.encryption_state import FILE
from engram.config.encryption_state import TURNING_OFF
from engram.config.encryption_state import read_encryption
from engram.config.encryption_state import write_encryption
from engram.errors import DamagedStateError
from engram.errors import EncryptionKeyError
from engram.errors import NewerFormatError
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.encryption.store_cipher import lock_all
from tests.store.encryption.making import SECRET
from tests.store.encryption.making import make_encrypted
from tests.store.encryption.making import make_key_file

LINE = b'00000000 {"v":1,"position":7,"text":"' + SECRET.encode() + b'"}'


@pytest.fixture(autouse=True)
def _locked() -> Iterator[None]:
    lock_all()
    yield
    lock_all()


@pytest.fixture
def cipher(tmp_path: Path) -> StoreCipher:
    make_encrypted(tmp_path / FILE, tmp_path / "own.key")
    return StoreCipher(tmp_path / FILE)


def test_without_encryption_everything_passes_as_it_is(tmp_path: Path) -> None:
    cipher = StoreCipher(tmp_path / FILE)

    assert not cipher.is_on()
    assert cipher.encrypt_lines([LINE], 7) == [LINE]
    assert cipher.encrypt_command(b"{}", "a.json") == b"{}"
    assert cipher.encrypt_file(b"text", "a") == b"text"
    assert cipher.decrypt_line(LINE) == LINE


def test_without_encryption_no_library_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from engram.store.spool import Spool\n"
        f"Spool(pathlib.Path({str(tmp_path / 'spool')!r})).put({{'id': 'a', 'args': {{}}}})\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('cryptography', 'pydantic', 'subprocess')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_line_comes_back_and_does_not_show_its_words(cipher: StoreCipher) -> None:
    (written,) = cipher.encrypt_lines([LINE], 7)

    assert SECRET.encode() not in written
    assert b"\n" not in written
    assert cipher.decrypt_line(written) == LINE


def test_the_same_line_is_never_written_twice_the_same(cipher: StoreCipher) -> None:
    assert cipher.encrypt_lines([LINE], 7) != cipher.encrypt_lines([LINE], 7)


def test_a_line_does_not_open_at_another_position(cipher: StoreCipher) -> None:
    import zlib

    (written,) = cipher.encrypt_lines([LINE], 7)
    body = written[9:].replace(b'"position":7', b'"position":8')
    moved = f"{zlib.crc32(body):08x} ".encode() + body

    with pytest.raises(UndecryptableError):
        cipher.decrypt_line(moved)


def test_a_line_whose_checksum_is_wrong_is_left_to_who_looks_for_rot(cipher: StoreCipher) -> None:
    (written,) = cipher.encrypt_lines([LINE], 7)
    rotten = written[:40] + bytes([written[40] ^ 1]) + written[41:]

    assert cipher.decrypt_line(rotten) == rotten


def test_a_command_is_written_without_the_key_and_read_with_it(cipher: StoreCipher, tmp_path: Path) -> None:
    own = (tmp_path / "own.key").read_text()
    (tmp_path / "own.key").unlink()

    written = cipher.encrypt_command(SECRET.encode(), "1-0-a.json")

    assert SECRET.encode() not in written
    assert json.loads(written)["v"] == 2  # an older Engram leaves it alone
    with pytest.raises(EncryptionKeyError, match="there is no key"):
        cipher.decrypt_command(written, "1-0-a.json")
    (tmp_path / "own.key").write_text(own)
    assert cipher.decrypt_command(written, "1-0-a.json") == SECRET.encode()
    with pytest.raises(UndecryptableError):
        cipher.decrypt_command(written, "2-0-b.json")


def test_a_file_comes_back_at_its_place_only(cipher: StoreCipher) -> None:
    written = cipher.encrypt_file(SECRET.encode(), "edits/a.md")

    assert SECRET.encode() not in written
    assert cipher.encrypt_file(written, "edits/a.md") == written  # done twice is done once
    assert cipher.decrypt_file(written, "edits/a.md") == SECRET.encode()
    with pytest.raises(UndecryptableError):
        cipher.decrypt_file(written, "edits/b.md")


def test_a_wrong_key_is_told_and_opens_nothing(cipher: StoreCipher, tmp_path: Path) -> None:
    (written,) = cipher.encrypt_lines([LINE], 7)
    lock_all()
    make_key_file(tmp_path / "own.key")

    with pytest.raises(EncryptionKeyError, match="does not open this store") as told:
        cipher.decrypt_line(written)

    assert told.value.exit_code == 4
    assert "nothing was lost" in told.value.hint


def test_while_it_is_turned_off_what_is_written_is_in_the_clear(tmp_path: Path) -> None:
    key_file = tmp_path / "own.key"
    key = make_encrypted(tmp_path / FILE, key_file)
    cipher = StoreCipher(tmp_path / FILE)
    (written,) = cipher.encrypt_lines([LINE], 7)
    state = read_encryption(tmp_path / FILE)
    assert state is not None
    write_encryption(tmp_path / FILE, state._replace(phase=TURNING_OFF))

    assert cipher.encrypt_lines([LINE], 7) == [LINE]
    assert cipher.decrypt_line(written) == LINE
    assert key.id == state.key_id


def test_without_the_state_file_a_line_is_no_line_of_a_newer_engram(cipher: StoreCipher, tmp_path: Path) -> None:
    (written,) = cipher.encrypt_lines([LINE], 7)
    (tmp_path / FILE).unlink()

    with pytest.raises(DamagedStateError, match="is gone"):
        cipher.decrypt_line(written)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"v": 1, "phase": "on"}', "\0\0\0"])
def test_a_damaged_state_file_is_never_taken_for_none(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)

    with pytest.raises(DamagedStateError):
        StoreCipher(tmp_path / FILE).encrypt_command(b"{}", "a.json")


def test_a_newer_state_file_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"v": 2}')

    with pytest.raises(NewerFormatError):
        StoreCipher(tmp_path / FILE).is_on()


def test_a_public_key_that_somebody_put_there_is_found(cipher: StoreCipher, tmp_path: Path) -> None:
    state = read_encryption(tmp_path / FILE)
    assert state is not None
    write_encryption(tmp_path / FILE, state._replace(public_key=base64.b64encode(bytes(32)).decode()))

    with pytest.raises(EncryptionKeyError):
        cipher.unlock()


def test_whoever_has_the_key_leaves_no_image_of_its_memory_when_it_dies(tmp_path: Path) -> None:
    make_encrypted(tmp_path / FILE, tmp_path / "own.key")
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if most == 0:
        pytest.skip("this machine lets nobody leave one")
    resource.setrlimit(resource.RLIMIT_CORE, (4096, most))

    StoreCipher(tmp_path / FILE).unlock()

    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, most)
