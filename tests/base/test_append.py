"""One way to append and one to make a folder, both of which survive a crash, or leave things as they were."""

import os
from pathlib import Path

import pytest

from engram.base.disk import files
from engram.base.disk.files import append
from engram.base.disk.files import make_folder


@pytest.fixture
def handle(tmp_path: Path) -> int:
    (tmp_path / "log").write_bytes(b"one\n")
    return os.open(tmp_path / "log", os.O_RDWR | os.O_APPEND)


def test_a_write_that_stops_short_is_gone_on_with(tmp_path: Path, handle: int, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda number, data: write(number, bytes(data)[:2]))

    append(handle, b"two\n")

    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_what_the_disk_does_not_take_is_cut_back(
    tmp_path: Path, handle: int, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write, calls = os.write, []

    def fail(number: int, data: bytes = b"") -> int:
        calls.append(data)
        if call == "write" and len(calls) == 1:
            return write(number, bytes(data)[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="No space"):
        append(handle, b"two\n")
    monkeypatch.undo()

    assert (tmp_path / "log").read_bytes() == b"one\n"
    append(handle, b"three\n")
    assert (tmp_path / "log").read_bytes() == b"one\nthree\n"


def test_every_folder_that_is_made_is_flushed_into_the_one_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[Path] = []
    monkeypatch.setattr(files, "fsync_folder", flushed.append)

    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")

    assert flushed == [tmp_path, tmp_path / "a"]
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
