"""The person's key: a file, the key ring, or an approved command; whatever else is found is one clear sentence."""

import sys
import types
from pathlib import Path

import pytest

from engram.errors import BadValueError
from engram.errors import EncryptionKeyError
from engram.store.encryption.key_source import ensure_key
from engram.store.encryption.key_source import find_key
from engram.store.encryption.key_source import require_source

KEY = "ab" * 32


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_a_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    source = f"file:{tmp_path}/keys/own.key"

    key = ensure_key(source)

    assert len(key) == 32
    assert (tmp_path / "keys" / "own.key").stat().st_mode & 0o777 == 0o600
    assert ensure_key(source) == find_key(source) == key


def test_a_file_that_others_may_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.key").write_text(KEY)
    (tmp_path / "own.key").chmod(0o644)

    assert find_key(f"file:{tmp_path}/own.key").hex() == KEY
    assert "chmod 600" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["secret", KEY[:-2], KEY + "ab", "ü", "zz" * 32])
def test_what_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "own.key").write_text(content)

    with pytest.raises(EncryptionKeyError, match="is no key"):
        find_key(f"file:{tmp_path}/own.key")


def test_a_missing_file_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(EncryptionKeyError, match="there is no key in"):
        find_key(f"file:{tmp_path}/own.key")

    assert not (tmp_path / "own.key").exists()


def test_a_command_runs_only_after_it_was_approved(tmp_path: Path) -> None:
    (tmp_path / "own.key").write_text(KEY)
    source = f"command:cat {tmp_path}/own.key"

    with pytest.raises(EncryptionKeyError, match="never been approved"):
        find_key(source)

    assert ensure_key(source).hex() == KEY
    assert find_key(source).hex() == KEY
    with pytest.raises(EncryptionKeyError, match="never been approved"):
        find_key(f"{source} {tmp_path}/other")


def test_an_approved_command_runs_nothing_that_the_folder_one_stands_in_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = tmp_path / "config" / "engram", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir(parents=True)
        program = folder / "key.sh"
        program.write_text(f"#!/bin/sh\ntouch '{folder}/ran'\necho {KEY}\n")
        program.chmod(0o700)
    monkeypatch.chdir(own)
    ensure_key("command:./key.sh")

    monkeypatch.chdir(other)
    assert find_key("command:./key.sh").hex() == KEY
    assert not (other / "ran").exists()


def test_a_command_that_fails_is_one_sentence() -> None:
    with pytest.raises(EncryptionKeyError, match="ended with 1"):
        ensure_key("command:false")
    with pytest.raises(EncryptionKeyError, match="failed"):
        ensure_key("command:no-such-program-here")


def test_the_key_ring_keeps_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}
    ring = types.ModuleType("keyring")
    ring.get_password = lambda service, user: kept.get((service, user))  # type: ignore[attr-defined]
    ring.set_password = lambda service, user, text: kept.update({(service, user): text})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)

    with pytest.raises(EncryptionKeyError):
        find_key("keyring")
    assert ensure_key("keyring") == find_key("keyring")
    assert len(kept) == 1


def test_without_the_package_the_hint_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    with pytest.raises(EncryptionKeyError, match="keyring") as told:
        find_key("keyring")

    assert "[keyring]" in told.value.hint


@pytest.mark.parametrize("source", ["", "own.key", "file:own.key", "file:", "command:", "command:'", "env:KEY"])
def test_what_names_no_place_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(BadValueError):
        require_source(source, tmp_path)


def test_a_key_within_the_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="within the workspace"):
        require_source(f"file:{tmp_path}/memory/own.key", tmp_path)
