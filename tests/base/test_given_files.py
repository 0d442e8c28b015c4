"""A file that somebody names: opened when it has an end, and never waited for."""

import os
import threading
from pathlib import Path

import pytest

from engram.base.disk import given_files
from engram.base.disk.given_files import open_given
from engram.base.disk.given_files import read_given
from engram.base.disk.given_files import refuse_endless
from tests.no_files import NO_FILES

TEXT = b"a line\n"
HANDLES = Path("/proc/self/fd")  # that this process has open


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_files, "_WRITER_S", 0.1)


@pytest.mark.parametrize("why", NO_FILES)
def test_what_is_no_file_is_refused_at_once_in_words(tmp_path: Path, why: str) -> None:
    NO_FILES[why](tmp_path / "given")

    with pytest.raises(OSError, match=why):
        open_given(tmp_path / "given")


def test_files_and_links_to_them_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(TEXT)
    (tmp_path / "link").symlink_to("given")

    with open_given(tmp_path / "given") as file, open_given(str(tmp_path / "link")) as linked:
        assert file.read() == linked.read() == TEXT
    with open_given(os.devnull) as nothing:
        assert nothing.read() == b""


def test_a_pipe_is_read_to_its_end_when_somebody_writes_into_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    whole = TEXT * 50_000
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(whole,))
    writer.start()

    with open_given(tmp_path / "pipe") as pipe:
        found = pipe.read()
    writer.join()

    assert found == whole


def test_a_pipe_of_a_shell_may_be_empty() -> None:
    ends = os.pipe()
    os.close(ends[1])

    with open_given(f"/dev/fd/{ends[0]}") as pipe:
        assert pipe.read() == b""
    os.close(ends[0])


def test_a_pipe_is_refused_where_a_file_is_read_more_than_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="it is a pipe, and no file"):
        open_given(tmp_path / "pipe", takes_pipes=False)


def test_a_handle_is_let_go_of_when_it_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = len([*HANDLES.iterdir()])

    with pytest.raises(OSError, match="nobody writes"):
        open_given(tmp_path / "pipe")

    assert len([*HANDLES.iterdir()]) == before


def test_a_stream_that_is_a_device_without_an_end_is_refused() -> None:
    with Path(os.devnull).open("rb") as empty:
        refuse_endless(empty)
    with Path("/dev/zero").open("rb") as endless, pytest.raises(OSError, match="it is a device, and no file"):
        refuse_endless(endless)


def test_a_whole_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(TEXT)

    with pytest.raises(OSError, match="larger than 0 MiB"):
        read_given(tmp_path / "given", most_bytes=len(TEXT) - 1)

    assert read_given(tmp_path / "given", most_bytes=len(TEXT)) == TEXT
