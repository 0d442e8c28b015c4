"""A workspace's own files: nothing else in their place is waited for, and what stands there is said."""

import errno
import os
from pathlib import Path

import pytest

from engram.base.disk.in_the_way import find_in_the_way
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import read_own
from engram.base.disk.own_files import read_own_text
from engram.errors import NoFileError
from engram.errors import RefusedError
from tests.no_files import NO_FILES

STANDS = [why for why in NO_FILES if "No such" not in why and "levels" not in why]


@pytest.mark.parametrize("why", STANDS)
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_APPEND | os.O_CREAT])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, why: str, flags: int) -> None:
    NO_FILES[why](tmp_path / "state.json")

    with pytest.raises(NoFileError, match=r"state\.json is no file") as raised:
        open_own(tmp_path / "state.json", flags)

    assert isinstance(raised.value, OSError)
    assert (raised.value.strerror, raised.value.exit_code) == ("it is no file", RefusedError.exit_code)
    assert str(raised.value) == raised.value.message


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\r\ny\xff")

    assert read_own(tmp_path / "a") == b"x\r\ny\xff"
    assert read_own_text(tmp_path / "a", errors="replace") == "x\ny\N{REPLACEMENT CHARACTER}"
    with pytest.raises(FileNotFoundError):
        read_own(tmp_path / "b")


def found(path: Path) -> str:
    try:
        path.read_bytes() if path.name != "made" else path.mkdir()
    except OSError as problem:
        refusal = find_in_the_way(problem)
        return refusal.message.removeprefix(f"{path.parents[0]}/") if refusal else ""
    raise AssertionError(path)


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "made").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("nowhere")

    assert found(tmp_path / "file" / "a") == f"{tmp_path / 'file'} is no folder"
    assert found(tmp_path / "link" / "a") == f"{tmp_path / 'link'} is a link to nothing"
    assert found(tmp_path / "made") == "made is no folder"
    assert found(tmp_path / "folder") == "folder is no file"
    assert found(tmp_path / "missing") == ""
    from_the_workspace_on = find_in_the_way(OSError(errno.ENOTDIR, "Not a directory", "memory/main"))
    assert from_the_workspace_on is not None
    assert from_the_workspace_on.message.endswith("memory/main is no folder")
