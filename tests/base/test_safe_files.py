"""Files that are listed and read without ever leaving a folder."""

import errno
import os
from pathlib import Path

import pytest

from engram.base.disk.safe_files import iter_files
from engram.base.disk.safe_files import read_within


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "notes" / "deep").mkdir(parents=True)
    (root / "notes" / "a.md").write_bytes(b"a")
    (root / "notes" / "deep" / "b.md").write_bytes(b"b")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_bytes(b"secret")
    return root


def test_a_file_is_read_whole(root: Path) -> None:
    assert read_within(root, "notes/deep/b.md") == b"b"
    with pytest.raises(FileNotFoundError):
        read_within(root, "notes/none.md")


@pytest.mark.parametrize(
    "path", ["../outside/secret.md", "/etc/passwd", "notes/../notes/a.md", "notes//a.md", "", "notes/."]
)
def test_a_path_that_is_none_within_the_root_is_refused(root: Path, path: str) -> None:
    with pytest.raises(OSError, match="no path within"):
        read_within(root, path)


@pytest.mark.parametrize("path", ["notes/out.md", "notes/in.md", "out/secret.md", "notes/loop.md"])
def test_no_part_of_a_path_may_be_a_link(root: Path, path: str) -> None:
    (root / "notes" / "out.md").symlink_to(root.parent / "outside" / "secret.md")
    (root / "notes" / "in.md").symlink_to(root / "notes" / "a.md")
    (root / "notes" / "loop.md").symlink_to(root / "notes" / "loop.md")
    (root / "out").symlink_to(root.parent / "outside")
    with pytest.raises(OSError) as refused:  # noqa: PT011 - what it is called differs between systems, its number does not
        read_within(root, path)

    assert refused.value.errno in {errno.ELOOP, errno.ENOTDIR}


def test_what_is_no_regular_file_and_what_is_too_large_is_refused(root: Path) -> None:
    os.mkfifo(root / "notes" / "pipe.md")
    for path, most in (("notes/pipe.md", 10), ("notes/deep", 10), ("notes/a.md", 0)):
        with pytest.raises(OSError, match=r"no regular file|larger"):
            read_within(root, path, most_bytes=most)


def test_what_leads_out_is_told_and_nothing_of_it_is_listed(root: Path) -> None:
    (root / "notes" / "out.md").symlink_to(root.parent / "outside" / "secret.md")
    (root / "notes" / "away").symlink_to(root.parent / "outside")
    (root / "notes" / "in.md").symlink_to(root / "notes" / "a.md")
    (root / "notes" / ".hidden").mkdir()
    (root / "notes" / ".hidden" / "c.md").write_bytes(b"c")
    told: list[str] = []
    found = list(iter_files(root, "notes", lambda path, problem: told.append(f"{path}: {problem.strerror}")))

    assert found == ["notes/a.md", "notes/deep/b.md"]
    assert told == [f"notes/{name}: it is a link out of the workspace" for name in ("away", "out.md")]


def test_a_folder_that_is_not_there_holds_nothing(root: Path) -> None:
    told: list[str] = []

    assert list(iter_files(root, "none", lambda path, _: told.append(path))) == []
    assert told == []
