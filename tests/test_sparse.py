"""A folder is copied byte for byte, and holes stay holes."""

from pathlib import Path

import pytest

from tests.sparse import copy_folder
from tests.sparse import parts_of

HOLE = 1 << 20


@pytest.mark.parametrize(
    "parts",
    [(), (b"words",), (HOLE,), (b"first", HOLE), (HOLE, b"last"), (b"first", HOLE, b"between", HOLE, b"last")],
    ids=["empty", "data", "hole", "hole at the end", "hole at the beginning", "holes between"],
)
def test_what_is_copied_is_the_same_and_takes_no_more_room(tmp_path: Path, parts: tuple[bytes | int, ...]) -> None:
    file = tmp_path / "old" / "inside" / "file"
    file.parent.mkdir(parents=True)
    with file.open("wb") as out:
        for part in parts:
            out.seek(part, 1) if isinstance(part, int) else out.write(part)
        out.truncate()
    file.chmod(0o600)

    copied = copy_folder(tmp_path / "old", tmp_path / "new") / "inside" / "file"

    old, new = file.stat(), copied.stat()
    assert file.read_bytes() == copied.read_bytes()
    assert b"".join(parts_of(file)).replace(b"\0", b"") == b"".join(part for part in parts if isinstance(part, bytes))
    assert (old.st_mode, old.st_mtime_ns) == (new.st_mode, new.st_mtime_ns)
    assert new.st_blocks <= old.st_blocks


def test_zeros_that_were_written_take_no_room_in_the_copy(tmp_path: Path) -> None:
    file = tmp_path / "old" / "file"
    file.parent.mkdir()
    file.write_bytes(b"first" + bytes(HOLE) + b"last")

    copied = copy_folder(tmp_path / "old", tmp_path / "new") / "file"

    assert file.read_bytes() == copied.read_bytes()
    assert copied.stat().st_blocks < file.stat().st_blocks


def test_a_folder_that_is_there_is_written_into(tmp_path: Path) -> None:
    for name, text in (("old/kept", "new words"), ("new/kept", "old words"), ("new/own", "own words")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    copied = copy_folder(tmp_path / "old", tmp_path / "new")

    assert {file.name: file.read_text() for file in copied.iterdir()} == {"kept": "new words", "own": "own words"}
