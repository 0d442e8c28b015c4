"""The files of a workspace: nothing is reached through a link, and whoever reads finds the old or the new content."""

import errno
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.errors import RefusedError
from engram.store.text_files import WorkspaceFiles


@pytest.fixture
def files(tmp_path: Path) -> WorkspaceFiles:
    root = tmp_path / "workspace"
    (root / "memory" / "main").mkdir(parents=True)
    return WorkspaceFiles(Paths(root))


@pytest.fixture
def note(files: WorkspaceFiles) -> Path:
    path = files.paths.memory / "main" / "note.md"
    path.write_bytes(b"old\n")
    return path


def test_a_folder_that_is_a_link_is_neither_read_nor_written(files: WorkspaceFiles, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (files.paths.memory / "linked").symlink_to(tmp_path / "elsewhere")
    path = files.paths.memory / "linked" / "note.md"

    with pytest.raises(RefusedError):
        files.write(path, b"new\n")
    with pytest.raises(RefusedError):
        files.begin(path, b"new\n")
    with pytest.raises(RefusedError), files.appending(path):
        pass
    with pytest.raises(RefusedError), files.holding(path.parent):
        pass
    with pytest.raises(OSError, match=r"link|directory") as problem:
        files.read_within(path, 100)
    assert problem.value.errno in {errno.ELOOP, errno.ENOTDIR}
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_is_begun_once(files: WorkspaceFiles, note: Path) -> None:
    other = note.with_name("other.md")

    assert [files.begin(other, b"# Title\n"), files.begin(other, b"again\n"), files.begin(note, b"again\n")] == [
        True,
        False,
        False,
    ]
    assert [other.read_bytes(), note.read_bytes()] == [b"# Title\n", b"old\n"]


def test_a_file_that_is_exchanged_is_itself_the_archive(files: WorkspaceFiles, note: Path) -> None:
    archive = note.parent / "archives" / "note-0001.md"
    number = note.stat().st_ino

    files.exchange(note, was=b"old\n", content=b"new\n", archive=archive)

    assert [note.read_bytes(), archive.read_bytes(), archive.stat().st_ino] == [b"new\n", b"old\n", number]


def test_a_file_that_was_written_to_meanwhile_is_not_exchanged(files: WorkspaceFiles, note: Path) -> None:
    archive = note.parent / "archives" / "note-0001.md"

    with pytest.raises(RefusedError, match="written to meanwhile"):
        files.exchange(note, was=b"as it was\n", content=b"new\n", archive=archive)

    assert (note.read_bytes(), archive.exists()) == (b"old\n", False)
    assert [one.name for one in note.parent.iterdir() if one.is_file()] == ["note.md"]


def test_a_file_that_is_too_large_or_none_says_so(files: WorkspaceFiles, note: Path) -> None:
    problems = []
    for path, most_bytes in ((note, 3), (note.parent, 100)):
        with pytest.raises(OSError, match="it is") as problem:
            files.read_within(path, most_bytes, at_rest=False)
        problems.append(problem.value.errno)

    assert problems == [errno.EFBIG, errno.EINVAL]
    assert files.read_within(note, 4, at_rest=False) == b"old\n"
